import * as z from 'zod'
import { contextLengthRules } from '#domain/application-config.ts'
import { attemptDefaults, type RouterRecord, type RouterTargetRecord } from '#domain/router-definition.ts'
import { features, policies } from '#routing/route.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { withVariants } from '#operations/documented.ts'
import { OperationCallView } from '#operations/operation-call.ts'
import { accountLabels } from '#operations/requests/request-view.ts'
import { lasting, optional, putBody } from '#operations/put-fields.ts'
import { AliasName, Label, Slug, Timestamp, UpstreamModel } from '#operations/schemas.ts'
import { routerReader, type RouterState } from './router-state.ts'

const hourMs = 3_600_000
const tokensMax = 100_000_000

const ms = (most: number, description: string) =>
  z.exactOptional(z.int().min(1).max(most)).meta({ description: `${description}, in milliseconds.` })

/** Deadlines of one attempt. */
const Timeouts = z
  .strictObject({
    connectMs: ms(60_000, 'To a connection'),
    firstByteMs: ms(
      600_000,
      'From the request to the head of its answer. Defaults to a third of `withinMs`, at most 120,000, while another target is left',
    ),
    firstTokenMs: ms(
      600_000,
      'From the request to the first text of a streamed answer. Defaults to 10,000 and 1,000 more for each 10,000 tokens of input while another target is left, and to no limit otherwise or for a model that reasons',
    ),
    idleMs: ms(600_000, 'Between two pieces of an answer'),
    totalMs: ms(hourMs, 'For the whole attempt'),
  })
  .meta({ id: 'RouterTimeouts', description: 'Deadlines of one attempt.' })

const Condition = z
  .strictObject({
    bundles: z
      .exactOptional(z.array(Slug).min(1).max(100))
      .meta({ description: "Slugs: the caller's bundle is one of them." }),
    features: z
      .exactOptional(z.array(z.enum(features)).min(1).max(features.length))
      .meta({ description: 'What the request needs: all of these.' }),
    inputTokensMin: z
      .exactOptional(z.int().min(0).max(tokensMax))
      .meta({ description: 'Tokens of input, as the gateway estimates them, at least.' }),
    inputTokensMax: z
      .exactOptional(z.int().min(0).max(tokensMax))
      .meta({ description: 'Tokens of input, as the gateway estimates them, at most.' }),
    mode: z.exactOptional(z.enum(['live', 'test'])).meta({ description: "Mode of the caller's key." }),
  })
  .meta({ id: 'RouterCondition', description: 'What a call must be, all of it.' })

const targetNames = {
  alias: z.exactOptional(AliasName).meta({ description: 'A model name of the application.' }),
  router: z.exactOptional(AliasName).meta({ description: 'Another router of the application.' }),
  provider: z.exactOptional(Label).meta({ description: 'Label of a provider account; with `model`.' }),
  model: z.exactOptional(UpstreamModel),
}

const Weight = z.int().min(1).max(1_000_000)
const InFlight = z.int().min(1).max(1_000_000)

/** A target, as it is sent. */
export const Target = withVariants(
  z
    .strictObject({
      ...targetNames,
      weight: z.exactOptional(Weight).meta({
        description: 'Under `weighted` its share: its weight of the sum of all. 1 when left out.',
      }),
      maxInFlight: z.exactOptional(InFlight).meta({
        description: 'The most calls in flight through it, in one server process; left out: any number.',
      }),
      when: z
        .exactOptional(Condition)
        .meta({ description: 'What a call must be for it to be taken, all of it; left out: any call.' }),
      timeouts: z
        .exactOptional(Timeouts)
        .meta({ description: "Deadlines of an attempt here, in place of the router's." }),
    })
    .meta({
      id: 'RouterTarget',
      description: 'One way to answer: an `alias`, a `router`, or a `provider` with a `model`.',
    }),
  {
    by: null,
    of: [
      {
        name: 'RouterTargetAlias',
        description: 'A model name of the application.',
        required: ['alias'],
        without: ['router', 'provider', 'model'],
      },
      {
        name: 'RouterTargetRouter',
        description: 'Another router of the application.',
        required: ['router'],
        without: ['alias', 'provider', 'model'],
      },
      {
        name: 'RouterTargetSource',
        description: 'A model of a provider account.',
        required: ['provider', 'model'],
        without: ['alias', 'router'],
      },
    ],
  },
)

/** Statuses that mean that the request itself is wrong, so that every other target would reject it too. */
const final: readonly number[] = [400, 413, 422]
const statuses = (least: number, most: number) => z.array(z.int().min(least).max(most)).max(50)

const Attempts = z
  .strictObject({
    withinMs: z.exactOptional(z.int().min(0).max(hourMs)).meta({
      description: `No attempt begins later than so many milliseconds after the first one. ${attemptDefaults.withinMs} when left out.`,
    }),
    attemptsMax: z.exactOptional(z.int().min(1).max(50)).meta({
      description: `Calls to providers for one call, the first included. ${attemptDefaults.attemptsMax} when left out.`,
    }),
    retriesPerTarget: z.exactOptional(z.int().min(0).max(10)).meta({
      description: `How often one target is asked again after a quick 429 or 5xx before the next one is; never after a deadline. Defaults to ${attemptDefaults.retriesPerTarget}.`,
    }),
    alsoMovesOn: z
      .exactOptional(
        statuses(401, 499).refine((all) => !all.some((status) => final.includes(status)), {
          error: `must not have ${final.join(', ')}: they say that the request is wrong, and no other target is asked`,
        }),
      )
      .meta({ description: 'HTTP statuses at which the next target is tried, besides the usual ones.' }),
    neverMovesOn: z
      .exactOptional(statuses(400, 599))
      .meta({ description: 'HTTP statuses at which no other target is tried, although one usually is.' }),
    onContextLength: z.exactOptional(z.enum(contextLengthRules)).meta({
      description: `What happens if the request is too long for a target. \`next\`: the next target that may have more room is tried; \`fail\`: the call fails. Defaults to \`${attemptDefaults.onContextLength}\`.`,
    }),
    timeouts: z
      .exactOptional(Timeouts)
      .meta({ description: "Deadlines of each attempt, in place of the gateway's own." }),
  })
  .meta({ id: 'RouterAttemptRules', description: 'How targets are tried.' })

/** The definition of a router, as it is sent. */
export const RouterFields = {
  policy: z.enum(policies).meta({
    description:
      'How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight; `cheapest`: what this very call is expected to cost; `fastest`: the time to the first token; `leastBusy`: calls in flight; `sticky`: the same person or session stays at one.',
  }),
  stickyBy: z.enum(['end_user', 'session']).meta({
    description:
      'What `sticky` keeps on one target: the requests of an end user, or requests with the same `svc.session`.',
  }),
  targets: z.array(Target).min(1).max(64).meta({ description: 'The ways to answer.' }),
  attempts: Attempts.meta({ description: 'How targets are tried. Omitted rules get their defaults.' }),
}

/** The fields of `routers.add`, with defaults. */
export const routerPut = {
  policy: lasting(RouterFields.policy),
  stickyBy: optional(RouterFields.stickyBy, 'end_user'),
  targets: lasting(RouterFields.targets),
  attempts: optional(RouterFields.attempts, {}),
}

export const RouterBody = putBody(routerPut)

/** The full definition of a router, as it is sent. */
export type RouterAsSent = {
  -readonly [Name in keyof typeof routerPut]: z.output<(typeof routerPut)[Name]['schema']>
}

const Problem = z
  .object({
    code: z.enum(['disabled', 'unpriced', 'test_only', 'removed', 'empty']).meta({
      description:
        '`empty`: it is a router, and none of its own targets can be taken. `test_only`: every account behind it is a simulator, and the mode of the request is live.',
    }),
    reason: z.string().meta({ description: 'Why no call can take it.' }),
    mend: OperationCallView.meta({ description: 'The call that mends it.' }),
  })
  .meta({ id: 'RouterTargetProblem', description: 'Why a target is passed over, whatever the call.' })

const TargetView = z
  .object({
    ...targetNames,
    provider: z.exactOptional(z.string()).meta({
      description:
        'Label of a provider account, with `model`; its id where it was removed after the application was archived.',
    }),
    weight: Weight.meta({ description: 'Under `weighted` its share among the weights of all.' }),
    maxInFlight: InFlight.nullable().meta({
      description: 'The most calls in flight through it, in one server process; null: any number.',
    }),
    when: Condition.nullable().meta({ description: 'What a call must be for it to be taken; null: any.' }),
    timeouts: Timeouts.meta({ description: "Deadlines here that differ from the router's." }),
    problem: Problem.nullable().meta({ description: 'Why no call takes it now; null: calls can.' }),
  })
  .meta({ id: 'RouterTargetState', description: 'One way to answer, and whether it can be taken now.' })

export const RouterView = z
  .object({
    name: AliasName.meta({ description: 'The name for end users.' }),
    policy: RouterFields.policy,
    stickyBy: z
      .enum(['end_user', 'session'])
      .meta({ description: 'Whose calls stay together under `sticky`.' }),
    targets: z.array(TargetView).meta({ description: 'The ways to answer, in their order.' }),
    attempts: z
      .object({
        withinMs: z.int().meta({ description: 'No attempt begins later after the first, in milliseconds.' }),
        attemptsMax: z.int().meta({ description: 'Calls to providers for one call, the first included.' }),
        retriesPerTarget: z.int().meta({ description: 'How often one target is asked again.' }),
        alsoMovesOn: z
          .array(z.int())
          .meta({ description: 'Further statuses at which the next target is tried.' }),
        neverMovesOn: z.array(z.int()).meta({ description: 'Statuses at which no other target is tried.' }),
        onContextLength: z
          .enum(contextLengthRules)
          .meta({ description: 'What happens if the request is too long for a target.' }),
        timeouts: Timeouts.meta({ description: "Deadlines that differ from the gateway's own." }),
      })
      .meta({ description: 'How targets are tried.' }),
    serving: z.boolean().meta({
      description: 'Whether there is a target that a call can take: false, and every call is refused.',
    }),
    createdAt: Timestamp.meta({ description: 'When the router was added.' }),
  })
  .meta({ id: 'Router', description: 'A name with several ways to answer.' })

/** Shows any number of routers. Names, accounts and prices are read once. */
export function routerViewer(
  context: ApplicationContext,
): (router: RouterRecord) => Promise<z.output<typeof RouterView>> {
  const stateOf = routerReader(context)
  let labels: Promise<ReadonlyMap<string, string>> | null = null
  return async (router) => {
    labels ??= accountLabels(context)
    return viewOf(router, await stateOf(router), await labels)
  }
}

function viewOf(
  router: RouterRecord,
  { isServing, problems }: RouterState,
  labels: ReadonlyMap<string, string>,
): z.output<typeof RouterView> {
  const { deadlines, ...attempts } = router.attempts
  return {
    name: router.name,
    policy: router.policy,
    stickyBy: router.stickyBy,
    targets: router.targets.map((target, i) => {
      const problem = problems[i] ?? null
      return {
        ...namesOf(target, labels),
        weight: target.weight,
        maxInFlight: target.maxInFlight,
        when: target.when && whenOf(target.when),
        timeouts: target.deadlines,
        problem: problem && {
          code: problem.code,
          reason: problem.reason,
          mend: { ...problem.mend, body: problem.mend.body && { ...problem.mend.body } },
        },
      }
    }),
    attempts: {
      ...attempts,
      alsoMovesOn: [...attempts.alsoMovesOn],
      neverMovesOn: [...attempts.neverMovesOn],
      timeouts: deadlines,
    },
    serving: isServing,
    createdAt: router.createdAtMs,
  }
}

type Names = Pick<z.output<typeof Target>, 'alias' | 'router' | 'provider' | 'model'>

function namesOf({ to }: RouterTargetRecord, labels: ReadonlyMap<string, string>): Names {
  if (to.kind !== 'source') return to.kind === 'alias' ? { alias: to.name } : { router: to.name }
  const { accountId, model } = to
  return { provider: labels.get(accountId) ?? accountId, model }
}

function whenOf({
  bundles,
  features: needed,
  ...rest
}: NonNullable<RouterTargetRecord['when']>): z.output<typeof Condition> {
  return { ...rest, ...(bundles && { bundles: [...bundles] }), ...(needed && { features: [...needed] }) }
}

/**
 * Returns a router as it is sent, for documents. Fields with their default value are omitted, as are targets on deleted
 * accounts.
 */
export function routerAsSent(router: RouterRecord, labels: ReadonlyMap<string, string>): RouterAsSent {
  const { alsoMovesOn, deadlines, neverMovesOn, ...numbers } = router.attempts
  return {
    policy: router.policy,
    stickyBy: router.stickyBy,
    targets: router.targets
      // An archived application may refer to deleted accounts.
      .filter(({ to }) => to.kind !== 'source' || labels.has(to.accountId))
      .map((target) => ({
        ...namesOf(target, labels),
        weight: target.weight,
        ...(target.maxInFlight !== null && { maxInFlight: target.maxInFlight }),
        ...(target.when && { when: whenOf(target.when) }),
        ...(Object.keys(target.deadlines).length > 0 && { timeouts: target.deadlines }),
      })),
    attempts: {
      ...numbers,
      alsoMovesOn: [...alsoMovesOn],
      neverMovesOn: [...neverMovesOn],
      ...(Object.keys(deadlines).length > 0 && { timeouts: deadlines }),
    },
  }
}
