/** After this time without a line of a topic, the number of omitted lines is reported. */
const quietMs = 10_000
const windowMs = 1_000

export interface LineLimitDeps {
  readonly monotonicMs: () => number
  readonly later: (ms: number, work: () => void) => void
}

export interface LineLimits {
  /** For each topic, within a second. */
  readonly linesMax: number
  /** For each part of a topic, such as one address, within a second. */
  readonly linesOfPartMax?: number
}

interface Window {
  startedMs: number
  lines: number
  readonly linesOf: Map<string, number>
  suppressed: number
  isReportDue: boolean
}

/**
 * Limits the log lines of each topic, so that a flood of one topic cannot fill the disk or hide other topics. Each line
 * reports how many lines of its topic were omitted before.
 */
export class LineLimit {
  readonly #limits: LineLimits
  readonly #deps: LineLimitDeps
  readonly #onQuiet: (topic: string, suppressed: number) => void
  readonly #windows = new Map<string, Window>()

  /** @param onQuiet reports a topic's omitted lines if no further line of the topic follows */
  constructor(limits: LineLimits, deps: LineLimitDeps, onQuiet: (topic: string, suppressed: number) => void) {
    this.#limits = limits
    this.#deps = deps
    this.#onQuiet = onQuiet
  }

  /** Returns the number of lines omitted before this line. Null if this line must be omitted too. */
  take(topic: string, part = ''): number | null {
    const { linesMax, linesOfPartMax = Infinity } = this.#limits
    const window = this.#windowOf(topic)
    const ofPart = linesOfPartMax === Infinity ? 0 : (window.linesOf.get(part) ?? 0)
    if (window.lines >= linesMax || ofPart >= linesOfPartMax) {
      window.suppressed += 1
      this.#reportLater(topic, window)
      return null
    }
    window.lines += 1
    if (linesOfPartMax !== Infinity) window.linesOf.set(part, ofPart + 1)
    const { suppressed } = window
    window.suppressed = 0
    return suppressed
  }

  #windowOf(topic: string): Window {
    const nowMs = this.#deps.monotonicMs()
    let window = this.#windows.get(topic)
    if (window === undefined) {
      window = { startedMs: nowMs, lines: 0, linesOf: new Map(), suppressed: 0, isReportDue: false }
      this.#windows.set(topic, window)
    } else if (nowMs - window.startedMs >= windowMs) {
      window.startedMs = nowMs
      window.lines = 0
      window.linesOf.clear()
    }
    return window
  }

  #reportLater(topic: string, window: Window): void {
    if (window.isReportDue) return
    window.isReportDue = true
    this.#deps.later(quietMs, () => {
      window.isReportDue = false
      const { suppressed } = window
      window.suppressed = 0
      if (suppressed > 0) this.#onQuiet(topic, suppressed)
    })
  }
}
