import type { Logger } from '#domain/log.ts'
import type { Refusal } from '#domain/refusals.ts'
import { type Count, Counter, type MetricJson } from './metric-series.ts'
import { metrics } from './metrics.ts'

/** Maximum number of lines per plane and code within a window. An address has its own limit within it. */
const linesMax = 20
const linesOfAddressMax = 5
const windowMs = 1_000
/** The number of omitted lines is logged after this time, if no further line reports it. */
const quietMs = 10_000

export interface RefusalsDeps {
  readonly log: Pick<Logger, 'warn'>
  readonly monotonicMs: () => number
  /** Runs the work after this many milliseconds. */
  readonly later: (ms: number, work: () => void) => void
}

interface Window {
  startedMs: number
  lines: number
  readonly linesOf: Map<string, number>
  suppressed: number
  isReportDue: boolean
}

/**
 * Counts and logs each request that was rejected with 401, 403 or 429. During a flood, only some requests are logged,
 * and only a few per address, so that a flood does not hide another attack. A line reports how many lines of its plane
 * and code were omitted before it.
 */
export class Refusals {
  readonly #deps: RefusalsDeps
  readonly #counter = new Counter(metrics.refusals)
  /** By plane, operation and code. All three are defined by us, so their number is limited. */
  readonly #counts = new Map<string, Count>()
  readonly #windows = new Map<string, Window>()

  constructor(deps: RefusalsDeps) {
    this.#deps = deps
  }

  note(refusal: Refusal): void {
    this.#countOf(refusal).value++
    const { address, code, plane } = refusal
    const window = this.#windowOf(`${plane} ${code}`)
    const ofAddress = window.linesOf.get(address ?? '') ?? 0
    if (window.lines >= linesMax || ofAddress >= linesOfAddressMax) {
      window.suppressed += 1
      this.#reportLater(window, refusal)
      return
    }
    window.lines += 1
    window.linesOf.set(address ?? '', ofAddress + 1)
    const { suppressed } = window
    window.suppressed = 0
    this.#deps.log.warn({ ...refusal, ...(suppressed > 0 && { suppressed }) }, 'request rejected')
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

  #windowOf(name: string): Window {
    const nowMs = this.#deps.monotonicMs()
    const window = this.#windows.get(name) ?? {
      startedMs: nowMs,
      lines: 0,
      linesOf: new Map<string, number>(),
      suppressed: 0,
      isReportDue: false,
    }
    this.#windows.set(name, window)
    if (nowMs - window.startedMs >= windowMs) {
      window.startedMs = nowMs
      window.lines = 0
      window.linesOf.clear()
    }
    return window
  }

  #reportLater(window: Window, { code, plane }: Refusal): void {
    if (window.isReportDue) return
    window.isReportDue = true
    this.#deps.later(quietMs, () => {
      window.isReportDue = false
      const { suppressed } = window
      window.suppressed = 0
      if (suppressed > 0)
        this.#deps.log.warn({ plane, code, suppressed }, 'more requests were rejected than logged')
    })
  }
}
