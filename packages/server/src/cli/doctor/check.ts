/** What `infold doctor` found out about one thing. */
export interface Check {
  name: string;
  state: 'ok' | 'warning' | 'problem';
  detail: string;
  advice?: string;
}
