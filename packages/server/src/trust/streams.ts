/** Names of streams: segments joined by dots, which NATS subjects will share. */
function segment(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/g, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

export function accessStream(org: string): string {
  return `access.${segment(org)}`;
}

/** The owner is the organisation and the principal: two organisations may know different people by one name. */
export function sessionStream(org: string, principal: string, project: string, session: string): string {
  return `${sessionsOf(org, principal)}${segment(project)}.${segment(session)}`;
}

/** What the streams of a principal's sessions begin with. */
export function sessionsOf(org: string, principal: string): string {
  return `session.${segment(`${org}:${principal}`)}.`;
}

/** What an organisation remembers. */
export function memoryStream(org: string): string {
  return `memory.${segment(org)}`;
}

/** One for each workspace: what was published, drafted and reviewed there. */
export function libraryStream(workspace: string): string {
  return `library.${segment(workspace)}`;
}

/** What a data folder and its hub have to do with each other: at the edge that it joined, at the hub what it was sent. */
export function hubStream(org: string, edge: string): string {
  return `hub.${segment(org)}.${segment(edge)}`;
}

/** What was sent to a receiver of webhooks. */
export function webhookStream(webhook: string): string {
  return `webhook.${segment(webhook)}`;
}

/** What was said in a pod of an organisation. */
export function podStream(org: string, pod: string): string {
  return `pod.${segment(org)}.${segment(pod)}`;
}

/** What a host sent to a model in one conversation, and what was decided about it. */
export function windowStream(org: string, conversation: string): string {
  return `window.${segment(org)}.${segment(conversation)}`;
}

/** From when on evidence is kept, in the whole data folder. */
export function evidenceStream(): string {
  return 'evidence';
}
