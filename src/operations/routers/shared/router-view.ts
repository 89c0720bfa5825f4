import * as z from 'zod'
import { contextLengthRules } from '#domain/application-config.ts'
import { attemptDefaults, type RouterRecord, type RouterTargetRecord } from '#domain/router-records.ts'
import { hourMs } from '#money/periods-and-windows.ts'
import { features, policies } from '#routing/route-tree-types.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { withVariants } from '#operations/kernel/openapi-annotations-of-schemas.ts'
import { OperationCallView } from '#operations/kernel/suggested-call.ts'
import { accountLabels } from '#operations/requests/shared/request-view.ts'
import { lasting, optional, putBody } from '#operations/kernel/put-fields.ts'
import {
  AliasName,
  Label,
  Slug,
  Timestamp,
  UpstreamModel,
} from '#operations/kernel/value-and-page-schemas.ts'
import { routerReader, type RouterState } from './problems-of-router-targets.ts'

const tokensMax = 100_000_000

const ms = (most: number, description: string, rest = '') =>
  z.exactOptional(z.int().min(1).max(most)).meta({ description: `${description}, in milliseconds.${rest}` })

const Timeouts = z
  .strictObject({
    connectMs: ms(60_000, 'Maximum time until the connection is established'),
    firstByteMs: ms(
      600_000,
      'Maximum time until the response headers are received',
      ' While other targets are left to try, defaults to a third of `withinMs`, at most 120,000. For a non-streaming response of a model that reasons, defaults to two thirds of `withinMs`, at most 120,000.',
    ),
    firstTokenMs: ms(
      600_000,
      'Maximum time from the request to the first text of a streamed response',
      ' While other targets are left to try, defaults to 10,000 plus 1,000 for each 10,000 input tokens, at most a third of `withinMs`. For the last target, and for models that reason, defaults to no limit.',
    ),
    idleMs: ms(600_000, 'Maximum time between two chunks of the response'),
    totalMs: ms(hourMs, 'Maximum time for the whole attempt'),
  })
  .meta({ id: 'RouterTimeouts', description: 'Deadlines of one attempt.' })

const Condition = z
  .strictObject({
    bundles: z
      .exactOptional(z.array(Slug).min(1).max(100))
      .meta({ description: 'Slugs of bundles. The end user must be on one of these bundles.' }),
    features: z
      .exactOptional(z.array(z.enum(features)).min(1).max(features.length))
      .meta({ description: 'The target is used only if the request needs all of these features.' }),
    inputTokensMin: z
      .exactOptional(z.int().min(0).max(tokensMax))
      .meta({ description: 'Minimum input tokens, as estimated by the gateway.' }),
    inputTokensMax: z
      .exactOptional(z.int().min(0).max(tokensMax))
      .meta({ description: 'Maximum input tokens, as estimated by the gateway.' }),
    mode: z
      .exactOptional(z.enum(['live', 'test']))
      .meta({ description: 'Mode that the key of the request must have.' }),
  })
  .meta({
    id: 'RouterCondition',
    description: 'Conditions for using a target. A request must meet all of these conditions.',
  })

const targetNames = {
  alias: z.exactOptional(AliasName).meta({ description: 'A model name of the application.' }),
  router: z.exactOptional(AliasName).meta({ description: 'Another router of the application.' }),
  provider: z.exactOptional(Label).meta({ description: 'Label of a provider account. Requires `model`.' }),
  model: z.exactOptional(UpstreamModel),
}

const Weight = z.int().min(1).max(1_000_000)
const InFlight = z.int().min(1).max(1_000_000)

export const Target = withVariants(
  z
    .strictObject({
      ...targetNames,
      weight: z.exactOptional(Weight).meta({
        description:
          "Weight of the target. With the policy `weighted`, the target's share of requests is this weight divided by the sum of all weights. Defaults to 1.",
      }),
      maxInFlight: z.exactOptional(InFlight).meta({
        description: 'Maximum concurrent requests per server process. Omit for no limit.',
      }),
      when: z.exactOptional(Condition).meta({
        description: 'Conditions that a request must meet to use the target. Omit for no condition.',
      }),
      timeouts: z.exactOptional(Timeouts).meta({
        description:
          "Deadlines of an attempt at this target. These deadlines replace the router's deadlines.",
      }),
    })
    .meta({
      id: 'RouterTarget',
      description: 'A target of a router: an `alias`, a `router`, or a `provider` with a `model`.',
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

/** The request itself is wrong, so every other target would reject it too. */
const final: readonly number[] = [400, 413, 422]
const statuses = (least: number, most: number) => z.array(z.int().min(least).max(most)).max(50)

const Attempts = z
  .strictObject({
    withinMs: z.exactOptional(z.int().min(0).max(hourMs)).meta({
      description: `Maximum time from the first attempt to the start of the last attempt, in milliseconds. Defaults to ${attemptDefaults.withinMs}.`,
    }),
    attemptsMax: z.exactOptional(z.int().min(1).max(50)).meta({
      description: `Maximum attempts per request, including the first. Defaults to ${attemptDefaults.attemptsMax}.`,
    }),
    retriesPerTarget: z.exactOptional(z.int().min(0).max(10)).meta({
      description: `Maximum retries at the same target after a 429 or 5xx response. If there are several targets, a target is not retried after a response that took more than 5 seconds. A target is never retried after a missed deadline. Defaults to ${attemptDefaults.retriesPerTarget}.`,
    }),
    alsoMovesOn: z
      .exactOptional(
        statuses(401, 499).refine((all) => !all.some((status) => final.includes(status)), {
          error: `must not contain ${final.join(', ')}: these statuses mean that the request is invalid, so other targets are not tried`,
        }),
      )
      .meta({ description: 'Additional HTTP statuses after which the next target is tried.' }),
    neverMovesOn: z.exactOptional(statuses(400, 599)).meta({
      description:
        'HTTP statuses after which no other target is tried, even if the router would try another target by default.',
    }),
    onContextLength: z.exactOptional(z.enum(contextLengthRules)).meta({
      description: `Behavior if the request is too long for a target. \`next\`: the next target that may accept a longer request is tried. \`fail\`: the request fails. Defaults to \`${attemptDefaults.onContextLength}\`.`,
    }),
    timeouts: z.exactOptional(Timeouts).meta({
      description: "Deadlines of each attempt. These deadlines replace the gateway's default deadlines.",
    }),
  })
  .meta({ id: 'RouterAttemptRules', description: 'Rules for attempts.' })

export const RouterFields = {
  policy: z.enum(policies).meta({
    description:
      'Policy that orders the targets. `priority`: targets are tried in the listed order. `weighted`: the order is random, by weight. `cheapest`: the target with the lowest expected cost comes first. `fastest`: the target with the shortest time to the first token comes first. `leastBusy`: the target with the fewest requests in flight comes first. `sticky`: all requests of an end user or session go to the same target.',
  }),
  stickyBy: z.enum(['end_user', 'session']).meta({
    description:
      'Group of requests that `sticky` sends to the same target. `end_user`: all requests of one end user. `session`: all requests with the same `svc.session`.',
  }),
  targets: z.array(Target).min(1).max(64).meta({ description: 'Targets of the router.' }),
  attempts: Attempts.meta({
    description: 'Rules for attempts. Rules that are omitted have their default values.',
  }),
}

export const routerPut = {
  policy: lasting(RouterFields.policy),
  stickyBy: optional(RouterFields.stickyBy, 'end_user'),
  targets: lasting(RouterFields.targets),
  attempts: optional(RouterFields.attempts, {}),
}

export const RouterBody = putBody(routerPut)

export type RouterAsSent = {
  -readonly [Name in keyof typeof routerPut]: z.output<(typeof routerPut)[Name]['schema']>
}

const Problem = z
  .object({
    code: z.enum(['disabled', 'unpriced', 'test_only', 'removed', 'empty']).meta({
      description:
        '`disabled`: the model is disabled. `unpriced`: a price is missing. `test_only`: every account of the target is a simulator, and the mode of the request is live. `removed`: the target was deleted. `empty`: the target is a router without a usable target.',
    }),
    reason: z.string().meta({ description: 'Reason why requests cannot use the target.' }),
    mend: OperationCallView.meta({ description: 'Operation that fixes the problem.' }),
  })
  .meta({ id: 'RouterTargetProblem', description: 'Reason why a target is skipped for every request.' })

const TargetView = z
  .object({
    ...targetNames,
    provider: z.exactOptional(z.string()).meta({
      description:
        'Label of the provider account that serves `model`. If the application was archived and the account was deleted later, this field is the ID of the account.',
    }),
    weight: Weight.meta({
      description:
        "Weight of the target. With the policy `weighted`, the target's share of requests is this weight divided by the sum of all weights.",
    }),
    maxInFlight: InFlight.nullable().meta({
      description: 'Maximum concurrent requests per server process. Null means no limit.',
    }),
    when: Condition.nullable().meta({
      description: 'Conditions that a request must meet to use the target. Null means no condition.',
    }),
    timeouts: Timeouts.meta({
      description: "Deadlines of this target that differ from the router's deadlines.",
    }),
    problem: Problem.nullable().meta({
      description: 'Problem that keeps requests from using the target. Null if requests can use the target.',
    }),
  })
  .meta({ id: 'RouterTargetState', description: 'A target, and whether requests can use it now.' })

export const RouterView = z
  .object({
    name: AliasName.meta({ description: 'Name of the router, as end users request it.' }),
    policy: RouterFields.policy,
    stickyBy: z.enum(['end_user', 'session']).meta({
      description:
        'Group of requests that `sticky` sends to the same target. `end_user`: all requests of one end user. `session`: all requests with the same `svc.session`.',
    }),
    targets: z.array(TargetView).meta({ description: 'Targets of the router, in order.' }),
    attempts: z
      .object({
        withinMs: z.int().meta({
          description:
            'Maximum time from the first attempt to the start of the last attempt, in milliseconds.',
        }),
        attemptsMax: z.int().meta({ description: 'Maximum attempts per request, including the first.' }),
        retriesPerTarget: z.int().meta({ description: 'Maximum retries at the same target.' }),
        alsoMovesOn: z
          .array(z.int())
          .meta({ description: 'Additional HTTP statuses after which the next target is tried.' }),
        neverMovesOn: z
          .array(z.int())
          .meta({ description: 'HTTP statuses after which no other target is tried.' }),
        onContextLength: z
          .enum(contextLengthRules)
          .meta({ description: 'Behavior if the request is too long for a target.' }),
        timeouts: Timeouts.meta({
          description: "Deadlines that differ from the gateway's default deadlines.",
        }),
      })
      .meta({ description: 'Rules for attempts.' }),
    serving: z.boolean().meta({
      description: 'Whether a request can use at least one target. If false, every request is rejected.',
    }),
    createdAt: Timestamp.meta({ description: 'When the router was created.' }),
  })
  .meta({ id: 'Router', description: 'A name that routes requests to one of several targets.' })

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

/** For configuration documents. Omits targets on deleted accounts, and fields that have their default value. */
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
