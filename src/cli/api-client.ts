/** Calls the published API through the core of the SDK: the command line has no privileges of its own. */
import { Sender } from '#sdk/sender.ts'
import type { Route } from '#sdk/request.ts'
import type { CallOptions } from '#sdk/settings.ts'
import { version } from '#sdk/version.ts'
import type { Step } from './operations/recipe-of-first-request.ts'
import { operationById, type Operation } from './operations/operation-table.ts'
import type { Settings } from './settings/settings.ts'
import type { Terminal } from './terminal-interface.ts'

export function senderOf(
  settings: Pick<Settings, 'app' | 'host' | 'mode' | 'token'>,
  terminal: Terminal,
): Sender {
  const { app, host, mode, token } = settings
  return new Sender({
    baseUrl: host.value,
    token: token?.value ?? null,
    ...(app && { app: app.value }),
    mode: mode.value === 'test' ? 'test' : 'live',
    fetch: terminal.fetch,
    clock: terminal.clock,
    headers: { 'user-agent': `tollgate-cli/${version} node/${process.versions.node} (${process.platform})` },
  })
}

export function routeOf({ body, id, inQuery, isKeyed, method, path }: Operation): Route {
  return {
    id,
    method,
    path,
    ...(inQuery && { query: inQuery }),
    ...(body && { body }),
    ...(isKeyed && { isKeyed }),
  }
}

export class Api {
  readonly #sender: Sender
  readonly #signal: AbortSignal

  constructor(settings: Pick<Settings, 'app' | 'host' | 'mode' | 'token'>, terminal: Terminal) {
    this.#sender = senderOf(settings, terminal)
    this.#signal = terminal.signal
  }

  /** The cast to `T` is safe, because the caller's type and the API are generated from the same table. */
  call<T>(id: string, input: object = {}, options: CallOptions = {}): Promise<T> {
    return this.#sender.call<T>(routeOf(operationById(id)), input, { signal: this.#signal, ...options })
  }

  perform<T>({ input, operation }: Step): Promise<T> {
    return this.call<T>(operation, input)
  }

  /** Like `call`, but returns null if the resource does not exist. */
  async find<T>(id: string, input: object): Promise<T | null> {
    try {
      return await this.call<T>(id, input)
    } catch (error) {
      if (error instanceof Error && 'status' in error && error.status === 404) return null
      throw error
    }
  }
}
