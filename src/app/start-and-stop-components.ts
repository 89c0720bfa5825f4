import type { Logger } from '#domain/log-interface.ts'

/** In tests, `seen` can throw an error to make a step fail. */
export interface ComponentStep {
  readonly component: string
  readonly step: 'starting' | 'stopped'
}

interface Running {
  readonly component: string
  readonly stop: () => Promise<void>
}

/**
 * Starts the parts in order, and stops them in the reverse order. If one part does not stop, the other parts are still
 * stopped.
 */
export class Components {
  readonly #log: Logger
  readonly #seen: (step: ComponentStep) => void
  readonly #running: Running[] = []

  constructor(log: Logger, seen: (step: ComponentStep) => void = () => {}) {
    this.#log = log
    this.#seen = seen
  }

  /** @throws the error of `start`; a component whose start failed is never stopped */
  async start<Part>(
    component: string,
    start: () => Part | Promise<Part>,
    stop: (part: Part) => void | Promise<void>,
  ): Promise<Part> {
    this.#seen({ component, step: 'starting' })
    const part = await start()
    this.#running.push({ component, stop: async () => stop(part) })
    return part
  }

  /**
   * @throws an error that names the components that did not stop, with the first failure as its cause; all other
   *   components are stopped before the error is thrown
   */
  async stop(): Promise<void> {
    const failed: { readonly component: string; readonly err: unknown }[] = []
    for (let last = this.#running.pop(); last !== undefined; last = this.#running.pop()) {
      const { component, stop } = last
      try {
        // oxlint-disable-next-line no-await-in-loop -- a component may use those that were started before it
        await stop()
        this.#seen({ component, step: 'stopped' })
        this.#log.debug({ component }, 'component stopped')
      } catch (err) {
        this.#log.error({ component, err }, 'stopping a component failed; continuing with the next component')
        failed.push({ component, err })
      }
    }
    const [first] = failed
    if (first) {
      const names = failed.map(({ component }) => component).join(', ')
      throw new Error(`stop ${names}`, { cause: first.err })
    }
  }
}
