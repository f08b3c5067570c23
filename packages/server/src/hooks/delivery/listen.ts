import type { CallServices } from '../../call/services.ts';
import { localOwner } from '../../trust/identity/caller.ts';
import type { HookReceiver, Received } from './receive.ts';
import { HookSocket, socketAddress } from './socket.ts';
import { takeIn } from './spool.ts';

/** How often it is looked whether the place is free, still ours, and whether something waits in the spool. */
const PAUSE = 3000;
/** KERN-15: a process that ends does so within seconds. */
const DRAIN = 500;

/** Hears the hooks of this data folder for as long as no other process does. */
export class HookListener {
  readonly #services: CallServices;
  readonly #load: () => Promise<HookReceiver>;
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #socket: HookSocket | undefined;
  #looking: Promise<void>;
  #receiver: Promise<HookReceiver> | undefined;

  /**
   * `load` is asked for what takes hooks in when the first one comes. `takesOver`: a server hears hooks in place of a
   * process that lives only as long as its host.
   */
  constructor(services: CallServices, load: () => Promise<HookReceiver>, takesOver: boolean) {
    this.#services = services;
    this.#load = load;
    this.#looking = this.#look(takesOver);
  }

  async close(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#socket?.close(DRAIN);
    (await this.#receiver?.catch(() => undefined))?.close();
  }

  async #receive(line: string, gone?: AbortSignal): Promise<Received> {
    this.#receiver ??= this.#load();
    return (await this.#receiver).receiveLine(line, localOwner, gone);
  }

  async #look(takesOver = false): Promise<void> {
    try {
      await this.#listen(takesOver);
      if (this.#socket)
        await takeIn(this.#services.config.data, (line) => this.#take(line), this.#ending.signal);
    } catch (error) {
      this.#services.log.debug({ err: error }, 'the socket for hooks could not be opened or served');
    }
    if (this.#ending.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look();
    }, PAUSE).unref();
  }

  async #listen(takesOver: boolean): Promise<void> {
    if (this.#socket?.isHeard) return;
    const former = this.#socket;
    this.#socket = undefined;
    await former?.close(DRAIN);
    const address = socketAddress(this.#services.config.data);
    this.#socket = await HookSocket.listen(address, (line, gone) => this.#answer(line, gone), takesOver);
  }

  async #answer(line: string, gone: AbortSignal): Promise<string | undefined> {
    const { text, isTaken } = await this.#receive(line, gone);
    return isTaken ? text : undefined;
  }

  async #take(line: string): Promise<boolean> {
    return (await this.#receive(line)).isTaken;
  }
}
