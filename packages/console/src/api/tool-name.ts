/** A tool's name as the page's own MCP client knows it: the spelling that every host takes. */
export const portableName = (name: string): string => name.replaceAll('.', '_');
