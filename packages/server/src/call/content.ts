/** What a resource holds; `blob` is base64. */
export type ResourceContent = { uri: string; mimeType: string } & ({ text: string } | { blob: string });

/** A part of an answer or a prompt. Hosts show a model at least the text; `data` is base64. */
export type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: string }
  | { type: 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: ResourceContent };
