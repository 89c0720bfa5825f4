import { countedFigures, type MoneyName } from '#domain/sums-of-request-figures.ts'
import { costOfFailedAttempts } from '#domain/calls/cost-of-failed-attempts.ts'
import type { ObservedCharge } from '#domain/reports/table-of-request-figures.ts'
import type { EndedAttempt, EndedCall } from '#domain/ledger-interface.ts'
import {
  countedUses,
  dimensionsOn,
  factsOf,
  sideOf,
  type TokenDimension,
  type UseCount,
} from '#money/price.ts'
import { plainOutput } from '#money/usage-counts.ts'
import {
  Count,
  Counter,
  type Distribution,
  Histogram,
  type MetricJson,
} from './counters-and-distributions.ts'
import { metrics } from './metric-definitions.ts'

/**
 * Further values of a label count as `other`, so the sums over all values stay correct. The limits keep the memory of
 * this process and of the scraper small, however many names customers create.
 */
export const labelLimits = { applicationsMax: 100, modelsMax: 500, accountsMax: 200 } as const
const other = 'other'

/**
 * Only models that the application serves are counted by name. If a call was rejected before its model name was
 * resolved, the name is the caller's own text and does not become a label.
 */
export class CallMetrics {
  readonly #calls = new Counter(metrics.calls)
  readonly #callSeconds = new Histogram(metrics.callSeconds)
  readonly #firstByteSeconds = new Histogram(metrics.firstByteSeconds)
  readonly #tokens = new Counter(metrics.tokens)
  readonly #uses = countedUses.map(({ count }) => ({ count, counter: new Counter(metrics[count]) }))
  readonly #money = countedFigures.map(({ name, of }) => ({
    name,
    of,
    counter: new Counter(metrics[`${name}Total`]),
  }))
  readonly #attempts = new Counter(metrics.attempts)
  readonly #attemptSeconds = new Histogram(metrics.attemptSeconds)

  /** By mode and application ID. */
  readonly #applications = {
    live: new Map<string, ApplicationSeries>(),
    test: new Map<string, ApplicationSeries>(),
  }
  readonly #otherApplication = {
    live: this.#applicationSeries(other, 'live'),
    test: this.#applicationSeries(other, 'test'),
  }
  #models = 0
  readonly #wires = new Map<string, WireSeconds>()
  readonly #accounts = new Map<string, AccountSeries>()
  readonly #providers = new Map<string, Distribution>()
  readonly #otherAccounts = new Map<string, AccountSeries>()

  add({ applicationSlug, attempts, charged, endedAtMs, record }: EndedCall): void {
    const { applicationId, errorCode, firstByteMs, httpStatus, mode, status, streamed, wire } = record
    const application =
      this.#applications[mode].get(applicationId) ?? this.#newApplication(record, applicationSlug)
    application.outcome(wire, status, httpStatus, errorCode).value++
    const seconds = this.#wires.get(wire) ?? this.#newWire(wire)
    ;(streamed ? seconds.streamed : seconds.whole).add(endedAtMs / 1000)
    if (firstByteMs !== null && status !== 'refused')
      (streamed ? seconds.streamedFirstByte : seconds.wholeFirstByte).add(firstByteMs / 1000)
    for (const attempt of attempts) this.#addAttempt(attempt)
    const failedMicros = charged === null ? Number(costOfFailedAttempts(attempts)) : 0
    if (charged === null && failedMicros === 0) return
    const alias = record.alias ?? ''
    const model = application.models.get(alias) ?? this.#newModel(application, alias)
    if (charged === null) {
      model.cost.value += failedMicros
      return
    }
    model.add(charged)
  }

  json(): readonly MetricJson[] {
    return [
      this.#calls,
      this.#callSeconds,
      this.#firstByteSeconds,
      this.#tokens,
      ...this.#uses.map(({ counter }) => counter),
      ...this.#money.map(({ counter }) => counter),
      this.#attempts,
      this.#attemptSeconds,
    ].map((metric) => metric.json())
  }

  #addAttempt({ account, durationMs, failure, provider, status }: EndedAttempt): void {
    const series = this.#accounts.get(account) ?? this.#newAccount(provider, account)
    series.outcome(failure ?? statusName(status)).value++
    series.seconds.add(durationMs / 1000)
  }

  #newApplication({ applicationId, mode }: EndedCall['record'], slug: string): ApplicationSeries {
    const known = this.#applications[mode]
    if (known.size >= labelLimits.applicationsMax) return this.#otherApplication[mode]
    const series = this.#applicationSeries(slug, mode)
    known.set(applicationId, series)
    return series
  }

  #applicationSeries(application: string, mode: string): ApplicationSeries {
    const labels = { application, mode }
    return {
      labels,
      models: new Map(),
      outcome: outcomes((wire, outcome, status, code) =>
        this.#calls.series({ ...labels, wire, outcome, status, code }),
      ),
    }
  }

  #newModel(application: ApplicationSeries, alias: string): ModelSeries {
    const isFull = this.#models >= labelLimits.modelsMax
    const name = isFull ? other : alias
    const known = application.models.get(name)
    if (known !== undefined) return known
    const labels = { ...application.labels, model: name }
    const tokens = (direction: string, kind: string): Count =>
      this.#tokens.series({ ...labels, direction, kind })
    const series = new ModelSeries(tokens, {
      uses: this.#uses.map(({ count, counter }) => ({ count, series: counter.series(labels) })),
      money: this.#money.map(({ counter, ...figure }) => ({ ...figure, series: counter.series(labels) })),
    })
    application.models.set(name, series)
    this.#models++
    return series
  }

  #newWire(wire: string): WireSeconds {
    const series = {
      whole: this.#callSeconds.series({ wire, streamed: 'false' }),
      streamed: this.#callSeconds.series({ wire, streamed: 'true' }),
      wholeFirstByte: this.#firstByteSeconds.series({ wire, streamed: 'false' }),
      streamedFirstByte: this.#firstByteSeconds.series({ wire, streamed: 'true' }),
    }
    this.#wires.set(wire, series)
    return series
  }

  #newAccount(provider: string, account: string): AccountSeries {
    const isFull = this.#accounts.size >= labelLimits.accountsMax
    const known = isFull ? this.#otherAccounts.get(provider) : undefined
    if (known !== undefined) return known
    const seconds = this.#providers.get(provider) ?? this.#attemptSeconds.series({ provider })
    this.#providers.set(provider, seconds)
    const labels = { provider, account: isFull ? other : account }
    const byOutcome = new Map<string, Count>()
    const series: AccountSeries = {
      seconds,
      outcome(outcome) {
        return byOutcome.get(outcome) ?? this.newOutcome(outcome)
      },
      newOutcome: (outcome) => {
        const count = this.#attempts.series({ ...labels, outcome })
        byOutcome.set(outcome, count)
        return count
      },
    }
    if (isFull) this.#otherAccounts.set(provider, series)
    else this.#accounts.set(account, series)
    return series
  }
}

interface ApplicationSeries {
  readonly labels: { readonly application: string; readonly mode: string }
  readonly models: Map<string, ModelSeries>
  outcome(wire: string, outcome: string, httpStatus: number, code: string | null): Count
}

interface WireSeconds {
  readonly whole: Distribution
  readonly streamed: Distribution
  readonly wholeFirstByte: Distribution
  readonly streamedFirstByte: Distribution
}

interface AccountSeries {
  readonly seconds: Distribution
  outcome(outcome: string): Count
  newOutcome(outcome: string): Count
}

/** Three look-ups of short strings cost less than one look-up of a joined string. */
function outcomes(
  make: (wire: string, outcome: string, status: string, code: string) => Count,
): ApplicationSeries['outcome'] {
  const byWire = new Map<string, Map<string | null, (Count | undefined)[]>>()
  return (wire, outcome, httpStatus, code) => {
    let byCode = byWire.get(wire)
    if (byCode === undefined) byWire.set(wire, (byCode = new Map()))
    let counts = byCode.get(code)
    if (counts === undefined) byCode.set(code, (counts = []))
    const statusClass = Math.trunc(httpStatus / 100)
    const at =
      statusClass * 4 +
      (outcome === 'settled' ? 0 : outcome === 'released' ? 1 : outcome === 'refused' ? 2 : 3)
    return (counts[at] ??= make(wire, outcome, `${statusClass}xx`, code ?? 'none'))
  }
}

function statusName(status: number | null): string {
  if (status === null) return 'no_answer'
  if (status === 429) return '429'
  return statusNames[Math.trunc(status / 100)] ?? 'no_answer'
}

const statusNames = ['no_answer', '1xx', '2xx', '3xx', '4xx', '5xx']

interface UseSeries {
  readonly count: UseCount
  readonly series: Count
}

interface MoneySeries {
  readonly name: MoneyName
  readonly of: (charge: ObservedCharge) => bigint
  readonly series: Count
}

interface SumsOfModel {
  readonly uses: readonly UseSeries[]
  readonly money: readonly MoneySeries[]
}

class ModelSeries {
  /** Includes calls that no end user is charged for. */
  readonly cost: Count
  readonly #money: readonly MoneySeries[]
  readonly #uses: readonly UseSeries[]
  readonly #tokens: (direction: string, kind: string) => Count
  readonly #input: Count
  readonly #output: Count
  /** Each counter is created when its kind of usage first occurs. */
  readonly #rare: Partial<Record<TokenDimension, Count>> = {}

  constructor(tokens: (direction: string, kind: string) => Count, { money, uses }: SumsOfModel) {
    this.#tokens = tokens
    this.#input = tokens('input', 'text')
    this.#output = tokens('output', 'text')
    this.#uses = uses
    this.#money = money
    this.cost = money.find(({ name }) => name === 'costMicros')?.series ?? new Count()
  }

  /**
   * Counts each token under one kind, so that the kinds add up to the total, unless the provider itself reports some
   * tokens under two kinds.
   */
  add(charge: ObservedCharge): void {
    const { usage } = charge
    for (const { of, series } of this.#money) series.value += Number(of(charge))
    this.#input.value += usage.input
    this.#output.value += plainOutput(usage)
    for (const { count, series } of this.#uses) series.value += usage[count]
    for (const { dimension, direction, kind } of rareKinds) {
      const tokens = usage[dimension]
      if (tokens > 0) (this.#rare[dimension] ??= this.#tokens(direction, kind)).value += tokens
    }
  }
}

const rareKinds = dimensionsOn('text', 'media', 'output')
  .filter((dimension) => dimension !== 'input' && dimension !== 'output')
  .map((dimension) => ({
    dimension,
    direction: sideOf(dimension) === 'output' ? 'output' : 'input',
    kind: factsOf(dimension).kind ?? dimension,
  }))
