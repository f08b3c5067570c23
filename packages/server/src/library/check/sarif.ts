import { CHECKS, type Finding } from './finding.ts';

/** SARIF 2.1.0, which code hosts show beside the lines of a change. */
export function sarifOf(findings: readonly Finding[], version: string): object {
  const place = ({ path, line }: { path: string; line: number }) => ({
    physicalLocation: {
      artifactLocation: { uri: path.split('/').map(encodeURIComponent).join('/') },
      region: { startLine: line },
    },
  });
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'infold library check',
            version,
            rules: Object.entries(CHECKS).map(([id, { level, about }]) => ({
              id,
              shortDescription: { text: about },
              defaultConfiguration: { level },
            })),
          },
        },
        results: findings.map((found) => ({
          ruleId: found.check,
          level: found.level,
          message: { text: found.message },
          locations: [place(found)],
          ...(found.related ? { relatedLocations: [place(found.related)] } : {}),
        })),
      },
    ],
  };
}
