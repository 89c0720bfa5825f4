import type { Logger } from '#domain/log-interface.ts'
import type { Refusal } from '#domain/rejected-request-facts.ts'
import { LineLimit, type LineLimitDeps } from './log-line-limit.ts'
import { type Count, Counter, type MetricJson } from './counters-and-distributions.ts'
import { metrics } from './metric-definitions.ts'

/**
 * For each plane (gateway, control plane or portal) and error code. Within these limits, each client address has its
 * own limit.
 */
const limits = { linesMax: 20, linesOfPartMax: 5 }

export interface RefusalsDeps extends LineLimitDeps {
  readonly log: Pick<Logger, 'warn'>
}

/**
 * Counts and logs each request that was rejected with 401, 403 or 429. During a flood, only some requests are logged,
 * and few per address, so that the flood does not hide another attack. Each line reports how many lines with the same
 * plane and error code were omitted before it.
 */
export class Refusals {
  readonly #log: Pick<Logger, 'warn'>
  readonly #lines: LineLimit
  readonly #counter = new Counter(metrics.refusals)
  /** By plane, operation and code. Callers cannot invent these values, so the number of counters is limited. */
  readonly #counts = new Map<string, Count>()

  constructor({ log, ...deps }: RefusalsDeps) {
    this.#log = log
    this.#lines = new LineLimit(limits, deps, (topic, suppressed) => {
      const [plane, code] = topic.split(' ')
      log.warn({ plane, code, suppressed }, 'more requests were rejected than logged')
    })
  }

  note(refusal: Refusal): void {
    this.#countOf(refusal).value++
    const { address, code, plane } = refusal
    const suppressed = this.#lines.take(`${plane} ${code}`, address ?? '')
    if (suppressed === null) return
    this.#log.warn({ ...refusal, ...(suppressed > 0 && { suppressed }) }, 'request rejected')
  }

  json(): MetricJson {
    return this.#counter.json()
  }

  #countOf({ code, operation, plane }: Refusal): Count {
    const name = `${plane} ${operation} ${code}`
    const known = this.#counts.get(name)
    if (known) return known
    const count = this.#counter.series({ plane, operation, code })
    this.#counts.set(name, count)
    return count
  }
}
