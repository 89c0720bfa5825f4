import * as z from 'zod'
import { addCalls, noCalls } from '#domain/calls/call-statistics.ts'
import type { Histogram } from '#domain/reports/duration-histogram.ts'
import type { CallFigures, HealthRow, HealthSpan } from '#domain/reports/reports-interface.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { accessOf } from '#domain/accounts/text-of-account-access.ts'
import { accountLabels } from '#operations/requests/shared/request-view.ts'
import {
  CredentialRefusedView,
  credentialRefusedView,
  refusedCredentials,
} from '#operations/providers/shared/rejected-credentials.ts'
import { DisputedCostView, disputedCosts } from '#operations/providers/shared/disputed-costs.ts'
import { SubstitutedModelView, substitutedModels } from '#operations/providers/shared/substituted-models.ts'
import { callsCompared } from '#domain/accounts/disputes-of-provider-stated-costs.ts'
import { Count, Label, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { FailedCalls, FailureRates } from '#operations/health/shared/failed-calls-by-cause-view.ts'
import {
  accountHealth,
  AccountHealthView,
  type Known,
  nameHealth,
  NameHealthView,
  sentence,
} from '#operations/health/shared/account-and-model-health.ts'

const seconds = { '5m': 300, '1h': 3_600, '24h': 86_400 } as const
type Window = keyof typeof seconds
const windows: readonly Window[] = ['5m', '1h', '24h']

/** Only the groups with the most requests are returned. */
const groupsMax = 200

const Milliseconds = z.int().nullable()

const Percentiles = z
  .object({
    p50: Milliseconds.meta({
      description: '50th percentile, in milliseconds. Null if no request was measured.',
    }),
    p95: Milliseconds.meta({
      description: '95th percentile, in milliseconds. Null if no request was measured.',
    }),
    p99: Milliseconds.meta({
      description: '99th percentile, in milliseconds. Null if no request was measured.',
    }),
  })
  .meta({ id: 'HealthPercentiles', description: 'Percentiles of a duration, in milliseconds.' })

const figures = {
  calls: Count.meta({ description: 'Number of completed requests, including failed ones.' }),
  failed: FailedCalls.meta({ description: 'Number of failed requests, by cause.' }),
  failureRates: FailureRates.meta({
    description: 'Failed requests as shares of `calls`, from 0 to 1, by cause. 0 if `calls` is 0.',
  }),
  latencyMs: Percentiles.meta({
    description: 'Time from the first byte of a request to the last byte of its response, in milliseconds.',
  }),
  firstByteMs: Percentiles.meta({
    description:
      'Time to the first byte of the response, in milliseconds. Requests without a response are not counted.',
  }),
}

const WindowView = z
  .object({
    window: z.enum(['5m', '1h', '24h']).meta({ description: 'Name of the window.' }),
    windowSeconds: Count.meta({ description: 'Length of the window, in seconds.' }),
    from: Timestamp.meta({
      description:
        'Start of the window. The window `24h` starts at a full hour, so this window is up to one hour longer than a day.',
    }),
    isWhole: z.boolean().meta({
      description:
        'Whether every request of the window is counted. The windows `5m` and `1h` are computed from individual requests. The window `24h` is computed from hourly sums, and from individual requests since the last full hour. If there are more than 20,000 individual requests, only the newest 20,000 are counted, and the value is false.',
    }),
    ...figures,
    providers: z
      .array(
        z.object({
          provider: z.string().meta({
            description: 'Label of the provider account, or its ID, `pa_…`, if the account was deleted.',
          }),
          ...figures,
        }),
      )
      .meta({
        description:
          'Requests that were sent to a provider, by provider account. The accounts with the most requests come first, at most 200.',
      }),
    targets: z
      .array(
        z.object({
          provider: z.string().meta({
            description: 'Label of the provider account, or its ID, `pa_…`, if the account was deleted.',
          }),
          model: z.string().meta({ description: "The provider's model ID." }),
          ...figures,
        }),
      )
      .meta({
        description:
          'Attempts by provider account and model. The targets with the most attempts come first, at most 200. Each attempt counts only for the target that received the attempt. If targets failed, the sum of the attempts is larger than `calls`. Durations are measured from the start of the attempt.',
      }),
    models: z
      .array(
        z.object({
          requestedModel: z.string().meta({ description: 'Requested model name.' }),
          ...figures,
        }),
      )
      .meta({
        description:
          'Requests by requested model name. The names with the most requests come first, at most 200.',
      }),
  })
  .meta({
    id: 'HealthSpan',
    description: 'Figures of the requests that ended in a time window. The window ends now.',
  })

const CircuitView = z
  .object({
    provider: Label.meta({ description: 'Label of the provider account.' }),
    model: z.string().meta({ description: "The provider's model ID." }),
    state: z.enum(['open', 'half_open']).meta({
      description:
        '`open`: no request is sent to the target. `half_open`: one request tests the target, or a probe tests the target while another target serves the requests.',
    }),
    until: Timestamp.nullable().meta({
      description:
        'Time from which one request can test the target. Null means that a request can test the target now.',
    }),
    why: z
      .string()
      .meta({ description: 'Reason why the circuit breaker is not closed, with the measured values.' }),
  })
  .meta({
    id: 'Circuit',
    description:
      'A circuit breaker that is not closed, as seen by the server process that returns this response.',
  })

export default operation({
  id: 'health',
  method: 'GET',
  path: '/v1/health',
  scope: 'application',
  summary: 'Show latency and failures',
  description:
    'Returns the latency and failures of gateway requests that ended in the last five minutes, hour and day, in the mode of the request. The top-level fields cover the last hour.\n\n- Figures are grouped by provider account, by account and model, and by requested name. In the groups by account and model, each attempt at a provider counts separately.\n- Counts are exact. Percentiles are computed from a histogram, with the nearest-rank method. Percentiles up to 64 ms are exact. Larger percentiles are at most 3.2 % too large and never too small.',
  query: {
    window: z
      .enum(['5m', '1h', '24h'])
      .optional()
      .meta({ description: 'Window to return in `windows`. Omit for all three windows.' }),
  },
  output: z.object({
    windowSeconds: Count.meta({
      description: 'Length of the window that the top-level fields cover, in seconds. Always one hour.',
    }),
    calls: Count.meta({ description: 'Number of completed requests, including failed ones.' }),
    failures: Count.meta({
      description: 'Number of requests that returned 5xx, because this server or the provider failed.',
    }),
    refusals: Count.meta({ description: 'Number of requests that returned 4xx.' }),
    failureRate: z
      .number()
      .min(0)
      .max(1)
      .meta({ description: '`failures` divided by `calls`. 0 if `calls` is 0.' }),
    latencyMs: Percentiles.meta({
      description: 'Time from the first byte of a request to the last byte of its response, in milliseconds.',
    }),
    circuits: z.array(CircuitView).meta({
      description:
        'Circuit breakers that are not closed, in the mode of the request. An open circuit breaker keeps requests away from one model of a provider account.',
    }),
    credentialsRefused: z
      .array(
        z.object({
          provider: Label.meta({ description: 'Label of the provider account.' }),
          ...CredentialRefusedView.shape,
        }),
      )
      .meta({
        description: 'Provider accounts of the organization whose API key is rejected. Empty in test mode.',
      }),
    disputedCosts: z.array(DisputedCostView).meta({
      description:
        'Models, by provider account, for which the computed costs may be wrong. Over the last ten requests with a stated cost, the costs stated by the provider differ by more than 3 % from the costs computed by the gateway. Empty if all costs match.',
    }),
    substitutedModels: z.array(SubstitutedModelView).meta({
      description:
        'Requested models that the provider replaced by another model in the last day, newest first. Empty if no provider reported another model than the requested one.',
    }),
    accounts: z.array(AccountHealthView).meta({
      description:
        'Health of each provider account of the organization, computed from requests of this application. Oldest account first.\n\nIn test mode, the simulator serves all requests, so the requests count for accounts of kind `simulator`. Other accounts are `unknown`.',
    }),
    names: z.array(NameHealthView).meta({
      description:
        'Health of the models and routers of the application. Models are listed first, then routers, each sorted by name.',
    }),
    windows: z.array(WindowView).meta({ description: 'Windows, shortest first.' }),
    emitters: z
      .array(
        z.object({
          emitterId: z.string().meta({ description: 'ID of the emitter, `emt_…`.' }),
          name: z.string().meta({ description: 'Label of the emitter.' }),
          failingSince: Timestamp.nullable().meta({
            description:
              'When deliveries started to fail: the time of the first batch that was not accepted after the last accepted batch. Null if the last batch was accepted.',
          }),
          notDelivered: Count.meta({ description: 'Number of events that were sent and not accepted.' }),
          dropped: Count.meta({
            description: 'Number of events that were never sent, because 10,000 events were already waiting.',
          }),
        }),
      )
      .meta({ description: 'Enabled emitters, oldest first.' }),
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
      circuits: await circuitViews(context),
      credentialsRefused: mode === 'test' ? [] : await refusedViews(context, labels),
      disputedCosts: (await disputedCosts(context)).map(({ account, ...sums }) => ({
        provider: account.label,
        calls: callsCompared,
        ...sums,
      })),
      substitutedModels: (await substitutedModels(context)).map(({ account, ...facts }) => ({
        provider: account.label,
        ...facts,
      })),
      accounts: await accountHealth(context, known),
      names: await nameHealth(context, known),
      windows: views.filter(({ window }) => query.window === undefined || query.window === window),
      emitters: await emitterStates(context),
    }
  },
})

export async function knownNow(context: ApplicationContext, day: HealthSpan | undefined): Promise<Known> {
  const refused = context.mode === 'test' ? new Map<string, unknown>() : await refusedCredentials(context)
  const keptAway = (await circuitsNow(context)).map(({ accountId, circuit: { why }, model }) => ({
    accountId,
    model,
    why,
  }))
  return { day, keptAway, refused: new Set(refused.keys()) }
}

/**
 * Omits a circuit that opened for an earlier address or API key, because the next request closes it. The process keeps
 * the circuits of all organizations, so the circuits of others are filtered out.
 */
async function circuitsNow({ mode, organization, ports, store }: ApplicationContext) {
  const accounts = new Map((await store.providers.all(organization.id)).map((one) => [one.id, one]))
  return ports.circuits().flatMap(({ access, accountId, circuit, mode: ofMode, model }) => {
    const account = accounts.get(accountId)
    if (account === undefined || ofMode !== mode || circuit.kind === 'closed') return []
    const isOutdated = access !== undefined && access !== accessOf(account)
    return isOutdated ? [] : { accountId, provider: account.label, model, circuit }
  })
}

async function circuitViews(context: ApplicationContext): Promise<z.output<typeof CircuitView>[]> {
  return (await circuitsNow(context)).map(({ circuit, model, provider }) => ({
    provider,
    model,
    state: circuit.kind,
    until: circuit.kind === 'open' ? circuit.untilMs : null,
    why: sentence(circuit.why),
  }))
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
  readonly #sum = noCalls()

  get calls(): number {
    return this.#sum.calls
  }

  add(calls: CallFigures): void {
    addCalls(this.#sum, calls)
  }

  view(): z.output<z.ZodObject<typeof figures>> {
    const { calls, failed, firstByteMs, latencyMs } = this.#sum
    const share = (count: number): number => (calls === 0 ? 0 : count / calls)
    return {
      calls,
      failed: { ...failed },
      failureRates: {
        client: share(failed.client),
        limit: share(failed.limit),
        provider: share(failed.provider),
        ours: share(failed.ours),
      },
      latencyMs: percentilesOf(latencyMs),
      firstByteMs: percentilesOf(firstByteMs),
    }
  }
}

function percentilesOf(histogram: Histogram): z.output<typeof Percentiles> {
  return { p50: histogram.percentile(50), p95: histogram.percentile(95), p99: histogram.percentile(99) }
}
