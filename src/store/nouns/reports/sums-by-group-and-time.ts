import { type FailureClass, failureClassOf, noFailures } from '#domain/health/class-of-failure.ts'
import {
  addMoney,
  type Figures,
  type RecordName,
  recordNames,
  type TokenName,
  tokenNames,
  zeroMoney,
  zeroOf,
} from '#domain/sums-of-request-figures.ts'
import { sumsOf } from '#domain/add-records-by-field.ts'
import { Histogram } from '#domain/reports/duration-histogram.ts'
import type {
  SeriesAsked,
  SeriesFigures,
  SeriesPoint,
  UsageSeries,
} from '#domain/reports/usage-series-interface.ts'
import type { CallPart, EndedCall, EndedCalls } from '#store/rows/read-ended-calls-by-time.ts'

export interface Cell extends Figures<RecordName> {
  calls: number
  charged: number
  readonly failed: Record<FailureClass, number>
}

export const cellSums = sumsOf<Cell>({ calls: 0, charged: 0, failed: noFailures(), ...zeroOf(recordNames) })

interface CountedPart {
  calls: EndedCalls
  count: number
  part: CallPart
}

interface Latency {
  readonly latencyMs: Histogram
  readonly firstByteMs: Histogram
}

export class Cells {
  readonly #cells = new Map<string | null, Map<number, Cell>>()
  readonly #latencies = new Map<number, Latency>()
  readonly #isGrouped: boolean
  readonly #isChargedOnly: boolean
  #hasTokens: boolean

  constructor(isGrouped: boolean, { hasTokens = false, isChargedOnly = false } = {}) {
    this.#isGrouped = isGrouped
    this.#hasTokens = hasTokens
    this.#isChargedOnly = isChargedOnly
  }

  at(atMs: number, group: string | null): Cell {
    let cells = this.#cells.get(group)
    if (cells === undefined) this.#cells.set(group, (cells = new Map()))
    let cell = cells.get(atMs)
    if (cell === undefined) cells.set(atMs, (cell = cellSums.zero()))
    return cell
  }

  /**
   * Counts the calls only in the part of the account that returned the response.
   * @param counted `count` is the number of calls
   */
  addPart(atMs: number, group: string | null, counted: Readonly<CountedPart>): void {
    const { calls, count, part } = counted
    const cell = this.at(atMs, group)
    if (part.money !== null) addMoney(cell, part.money)
    if (!part.isCall) return
    cell.calls += count
    if (part.money !== null) cell.charged += count
    const failure = failureClassOf(calls)
    if (failure !== null) cell.failed[failure] += count
  }

  addLatencyOf(atMs: number, call: EndedCall): void {
    const { firstByteMs, latencyMs } = this.#latencyAt(atMs)
    latencyMs.add(call.latencyMs)
    if (call.firstByteMs !== null) firstByteMs.add(call.firstByteMs)
  }

  addLatency(atMs: number, latencyMs: Histogram, firstByteMs: Histogram): void {
    const at = this.#latencyAt(atMs)
    at.latencyMs.merge(latencyMs)
    at.firstByteMs.merge(firstByteMs)
  }

  /** The stored sums of days provide money and tokens. */
  clearMoney(): void {
    this.#hasTokens = true
    for (const cells of this.#cells.values())
      for (const cell of cells.values()) Object.assign(cell, { charged: 0, ...zeroMoney() })
  }

  series({ groupsMax, order }: SeriesAsked, fromMs: number): Pick<UsageSeries, 'all' | 'groups'> {
    const all = new Map<number, Cell>()
    const groups: { group: string | null; points: SeriesPoint[]; total: Cell }[] = []
    for (const [group, cells] of this.#cells) {
      const total = cellSums.zero()
      const points: SeriesPoint[] = []
      for (const [atMs, cell] of [...cells].toSorted(([one], [other]) => one - other)) {
        if (atMs < fromMs) continue
        const whole = all.get(atMs) ?? cellSums.zero()
        all.set(atMs, whole)
        cellSums.add(whole, cell)
        cellSums.add(total, cell)
        points.push({ atMs, ...this.#figures(cell, null) })
      }
      if (points.length > 0) groups.push({ group, points, total })
    }
    const by = order === 'calls' && this.#isChargedOnly ? 'charged' : order
    groups.sort(
      (one, other) =>
        compare(other.total[by], one.total[by]) ||
        compare(other.total.calls, one.total.calls) ||
        compare(one.group ?? '', other.group ?? ''),
    )
    return {
      all: [...all]
        .toSorted(([one], [other]) => one - other)
        .map(([atMs, cell]) => ({ atMs, ...this.#figures(cell, this.#latencies.get(atMs) ?? null) })),
      groups: this.#isGrouped
        ? groups.slice(0, groupsMax).map(({ group, points }) => ({ group, points }))
        : [],
    }
  }

  #latencyAt(atMs: number): Latency {
    let latency = this.#latencies.get(atMs)
    if (latency === undefined)
      this.#latencies.set(atMs, (latency = { latencyMs: new Histogram(), firstByteMs: new Histogram() }))
    return latency
  }

  #figures(cell: Cell, latency: Latency | null): SeriesFigures {
    return {
      ...cell,
      calls: this.#isChargedOnly ? null : cell.calls,
      failed: this.#isChargedOnly ? null : cell.failed,
      ...(!this.#hasTokens && unknownTokens),
      latencyMs: latency && latency.latencyMs,
      firstByteMs: latency && latency.firstByteMs,
    }
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names of all tokens
const unknownTokens = Object.fromEntries(tokenNames.map((name) => [name, null])) as Record<TokenName, null>

function compare<Value extends number | bigint | string>(one: Value, other: Value): number {
  return one < other ? -1 : one > other ? 1 : 0
}
