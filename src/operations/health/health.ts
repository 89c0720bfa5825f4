import * as z from 'zod'
import { type FailureClass, failureClasses } from '#domain/failure-class.ts'
import { Histogram } from '#domain/histogram.ts'
import type { CallFigures, HealthRow, HealthSpan } from '#domain/reports.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { modeTime } from '#operations/mode-time.ts'
import { operation } from '#operations/operation.ts'
import { accountLabels } from '#operations/requests/request-view.ts'
import {
  CredentialRefusedView,
  credentialRefusedView,
  refusedCredentials,
} from '#operations/providers/credential-state.ts'
import { DisputedCostView, disputedCosts } from '#operations/providers/disputed-costs.ts'
import { callsCompared } from '#domain/stated-costs.ts'
import { Count, Label, Timestamp } from '#operations/schemas.ts'
import { FailedCalls, FailureRates } from './failed-calls.ts'
import { accountHealth, AccountHealthView, type Known, nameHealth, NameHealthView } from './health-states.ts'

const seconds = { '5m': 300, '1h': 3_600, '24h': 86_400 } as const
type Window = keyof typeof seconds
const windows: readonly Window[] = ['5m', '1h', '24h']

/** Maximum number of groups in a response: those with the most requests. */
const groupsMax = 200

const Milliseconds = z.int().nullable()

const Percentiles = z
  .object({
    p50: Milliseconds.meta({ description: 'Half of the calls took no longer; null without calls.' }),
    p95: Milliseconds.meta({ description: '95 of 100 calls took no longer.' }),
    p99: Milliseconds.meta({ description: '99 of 100 calls took no longer.' }),
  })
  .meta({ id: 'HealthPercentiles', description: 'How long calls took, in milliseconds.' })

const figures = {
  calls: Count.meta({ description: 'Calls that ended.' }),
  failed: FailedCalls.meta({ description: 'Those that did not go well, by whose doing it was.' }),
  failureRates: FailureRates.meta({
    description: 'The same as shares of `calls`, from 0 to 1; 0 without calls.',
  }),
  latencyMs: Percentiles.meta({
    description: 'Milliseconds from the first byte of a request to the last of its answer.',
  }),
  firstByteMs: Percentiles.meta({
    description: 'Milliseconds to the first byte of the answer, where there was one.',
  }),
}

const WindowView = z
  .object({
    window: z.enum(['5m', '1h', '24h']).meta({ description: 'Its name.' }),
    windowSeconds: Count.meta({ description: 'Its length, in seconds.' }),
    from: Timestamp.meta({
      description:
        'From when on calls are counted. A day begins with a full hour, and so is up to an hour longer.',
    }),
    isWhole: z.boolean().meta({
      description:
        'False: there were more than 20,000 calls to read, and of those since the last full hour, or of the window, only the newest are counted.',
    }),
    ...figures,
    providers: z
      .array(
        z.object({
          provider: z
            .string()
            .meta({ description: 'Label of the provider account; its id, `pa_…`, when it is gone.' }),
          ...figures,
        }),
      )
      .meta({ description: 'Calls that were sent, by provider account; most calls first, 200 at most.' }),
    targets: z
      .array(
        z.object({
          provider: z
            .string()
            .meta({ description: 'Label of the provider account; its id, `pa_…`, when it is gone.' }),
          model: z.string().meta({ description: "The provider's model id." }),
          ...figures,
        }),
      )
      .meta({
        description:
          'What providers were asked for, by account and model; most calls first, 200 at most. Each attempt of a call counts where it was made and by how it ended, so these add up to more than `calls` where targets failed. Times begin with the attempt.',
      }),
    models: z
      .array(
        z.object({
          requestedModel: z.string().meta({ description: 'The requested model name.' }),
          ...figures,
        }),
      )
      .meta({ description: 'By the name that was asked for; most calls first, 200 at most.' }),
  })
  .meta({ id: 'HealthSpan', description: 'How calls went that ended in a span of time up to now.' })

const CircuitView = z
  .object({
    provider: Label.meta({ description: 'Label of the provider account.' }),
    model: z.string().meta({ description: "The provider's model id." }),
    state: z.enum(['open', 'half_open']).meta({
      description:
        '`open`: no call is sent there; `half_open`: one real call tries it, or a probe if another target serves the calls.',
    }),
    until: Timestamp.nullable().meta({ description: 'When one call may try again; null: now.' }),
    why: z.string().meta({ description: 'What was found, with its numbers.' }),
  })
  .meta({
    id: 'Circuit',
    description: 'A circuit that is not closed, as seen by the one server process that answers this request.',
  })

export default operation({
  id: 'health',
  method: 'GET',
  path: '/v1/health',
  scope: 'application',
  summary: 'Show latency and failure rate',
  description:
    "How the application's gateway calls of the mode went that ended in the last five minutes, hour and day, by provider account, by account and model with each attempt, and by name. Counts are exact. Percentiles are nearest ranks of a histogram: exact to 64 ms, above that at most 3.2 % too large and never too small. The first fields are those of the last hour.",
  query: {
    window: z
      .enum(['5m', '1h', '24h'])
      .optional()
      .meta({ description: 'Only that window in `windows`; left out: all three.' }),
  },
  output: z.object({
    windowSeconds: Count.meta({ description: 'Length of the window of these fields, an hour.' }),
    calls: Count.meta({ description: 'Calls that have ended.' }),
    failures: Count.meta({ description: 'Those answered 5xx: broken here or at the provider.' }),
    refusals: Count.meta({ description: 'Those answered 4xx.' }),
    failureRate: z.number().min(0).max(1).meta({ description: '`failures` of `calls`; 0 without calls.' }),
    latencyMs: Percentiles.meta({
      description: 'Milliseconds from the first byte of a request to the last of its answer.',
    }),
    circuits: z
      .array(CircuitView)
      .meta({ description: 'The accounts and models that calls are kept from now, in the mode.' }),
    credentialsRefused: z
      .array(
        z.object({
          provider: Label.meta({ description: 'Label of the provider account.' }),
          ...CredentialRefusedView.shape,
        }),
      )
      .meta({ description: "The organization's accounts whose API key is refused; empty in test mode." }),
    disputedCosts: z.array(DisputedCostView).meta({
      description:
        "Accounts and models whose stated costs differ from the gateway's by more than 3 % over the last ten calls that state one. Empty if none do.",
    }),
    accounts: z.array(AccountHealthView).meta({
      description: "How the organization's provider accounts do with the application's calls, oldest first.",
    }),
    names: z.array(NameHealthView).meta({
      description: "How the application's models and routers do: models by name, then routers by name.",
    }),
    windows: z.array(WindowView).meta({ description: 'The windows, shortest first.' }),
    emitters: z
      .array(
        z.object({
          emitterId: z.string().meta({ description: 'Id of the emitter, `emt_…`.' }),
          name: z.string().meta({ description: 'Its label.' }),
          failingSince: Timestamp.nullable().meta({
            description: 'First batch that was not accepted since one was; null: the last one was accepted.',
          }),
          notDelivered: Count.meta({ description: 'Events, in all, that were attempted and not accepted.' }),
          dropped: Count.meta({ description: 'Events, in all, that were never attempted: too many waited.' }),
        }),
      )
      .meta({ description: 'Destinations of settled usage that are enabled, oldest first.' }),
  }),
  async run({ query }, context) {
    const { application, mode, store } = context
    const nowMs = modeTime(context)
    const spans = await store.reports.health(
      application.id,
      mode,
      nowMs,
      windows.map((name) => seconds[name] * 1_000),
    )
    const labels = await accountLabels(context)
    const views = spans.map((span, i) => windowView(windows[i] ?? '24h', span, labels))
    const known = await knownNow(context, spans.at(-1))
    const [, hour] = spans
    const [, hourView] = views
    const calls = hourView?.calls ?? 0
    const failures = hour?.failures ?? 0
    return {
      windowSeconds: seconds['1h'],
      calls,
      failures,
      refusals: hour?.refusals ?? 0,
      failureRate: calls === 0 ? 0 : failures / calls,
      latencyMs: hourView?.latencyMs ?? { p50: null, p95: null, p99: null },
      circuits: circuitViews(context, labels),
      credentialsRefused: mode === 'test' ? [] : await refusedViews(context, labels),
      disputedCosts: (await disputedCosts(context)).map(({ account, ...sums }) => ({
        provider: account.label,
        calls: callsCompared,
        ...sums,
      })),
      accounts: await accountHealth(context, known),
      names: await nameHealth(context, known),
      windows: views.filter(({ window }) => query.window === undefined || query.window === window),
      emitters: await emitterStates(context),
    }
  },
})

/** Returns what keeps requests away now, and the health of the last day. */
export async function knownNow(context: ApplicationContext, day: HealthSpan | undefined): Promise<Known> {
  const { mode, ports } = context
  const refused = mode === 'test' ? new Map<string, unknown>() : await refusedCredentials(context)
  const keptAway = ports
    .circuits()
    .flatMap(({ accountId, circuit, mode: ofMode, model }) =>
      ofMode === mode && circuit.kind !== 'closed' ? { accountId, model, why: circuit.why } : [],
    )
  return { day, keptAway, refused: new Set(refused.keys()) }
}

/** A process has the circuits of all organizations. Those of other organizations have no label here. */
function circuitViews(
  { mode, ports }: ApplicationContext,
  labels: ReadonlyMap<string, string>,
): z.output<typeof CircuitView>[] {
  return ports.circuits().flatMap(({ accountId, circuit, mode: ofMode, model }) => {
    const provider = labels.get(accountId)
    if (provider === undefined || ofMode !== mode || circuit.kind === 'closed') return []
    const until = circuit.kind === 'open' ? circuit.untilMs : null
    return { provider, model, state: circuit.kind, until, why: circuit.why }
  })
}

async function refusedViews(
  context: ApplicationContext,
  labels: ReadonlyMap<string, string>,
): Promise<({ provider: string } & z.output<typeof CredentialRefusedView>)[]> {
  return [...(await refusedCredentials(context))].map(([id, state]) => {
    const label = labels.get(id) ?? id
    return { provider: label, ...credentialRefusedView({ label }, state) }
  })
}

async function emitterStates({ application, mode, store }: ApplicationContext) {
  const enabled = (await store.emitters.all(application.id, mode)).filter(({ isEnabled }) => isEnabled)
  return Promise.all(
    enabled.map(async ({ id, name }) => {
      const { dropped, failingSinceMs, rejected } = await store.emitters.counts(id)
      return { emitterId: id, name, failingSince: failingSinceMs, notDelivered: rejected, dropped }
    }),
  )
}

function windowView(
  window: Window,
  { fromMs, isWhole, rows, targets }: HealthSpan,
  labels: ReadonlyMap<string, string>,
): z.output<typeof WindowView> {
  const groupsBy = (nameOf: (row: HealthRow) => string | null): [string, Totals][] => {
    const groups = new Map<string, Totals>()
    for (const row of rows) {
      const name = nameOf(row)
      if (name === null) continue
      const totals = groups.get(name) ?? new Totals()
      totals.add(row)
      groups.set(name, totals)
    }
    return [...groups].toSorted(([, one], [, other]) => other.calls - one.calls).slice(0, groupsMax)
  }
  const all = new Totals()
  for (const row of rows) all.add(row)
  return {
    window,
    windowSeconds: seconds[window],
    from: fromMs,
    isWhole,
    ...all.view(),
    providers: groupsBy(({ accountId }) => accountId && (labels.get(accountId) ?? accountId)).map(
      ([provider, totals]) => ({ provider, ...totals.view() }),
    ),
    targets: targets
      .toSorted((one, other) => other.calls - one.calls)
      .slice(0, groupsMax)
      .map((target) => {
        const totals = new Totals()
        totals.add(target)
        const { accountId, model } = target
        return { provider: labels.get(accountId) ?? accountId, model, ...totals.view() }
      }),
    models: groupsBy(({ alias }) => alias).map(([requestedModel, totals]) => ({
      requestedModel,
      ...totals.view(),
    })),
  }
}

class Totals {
  calls = 0
  readonly #failed: Record<FailureClass, number> = { client: 0, limit: 0, provider: 0, ours: 0 }
  readonly #latencyMs = new Histogram()
  readonly #firstByteMs = new Histogram()

  add({ calls, failed, firstByteMs, latencyMs }: CallFigures): void {
    this.calls += calls
    for (const name of failureClasses) this.#failed[name] += failed[name]
    this.#latencyMs.merge(latencyMs)
    this.#firstByteMs.merge(firstByteMs)
  }

  view(): z.output<z.ZodObject<typeof figures>> {
    const { client, limit, ours, provider } = this.#failed
    const share = (count: number): number => (this.calls === 0 ? 0 : count / this.calls)
    return {
      calls: this.calls,
      failed: { ...this.#failed },
      failureRates: {
        client: share(client),
        limit: share(limit),
        provider: share(provider),
        ours: share(ours),
      },
      latencyMs: percentilesOf(this.#latencyMs),
      firstByteMs: percentilesOf(this.#firstByteMs),
    }
  }
}

function percentilesOf(histogram: Histogram): z.output<typeof Percentiles> {
  return { p50: histogram.percentile(50), p95: histogram.percentile(95), p99: histogram.percentile(99) }
}
