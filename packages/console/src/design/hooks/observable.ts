import { useSyncExternalStore } from 'react';

/** A value that components follow and that plain code changes. */
export class Observable<Value> {
  #value: Value;
  readonly #listeners = new Set<() => void>();

  constructor(value: Value) {
    this.#value = value;
  }

  readonly read = (): Value => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  change(change: (value: Value) => Value): void {
    const next = change(this.#value);
    if (next === this.#value) return;
    this.#value = next;
    for (const listener of this.#listeners) listener();
  }
}

export function useObservable<Value>({ subscribe, read }: Observable<Value>): Value {
  return useSyncExternalStore(subscribe, read);
}
