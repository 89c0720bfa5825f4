/** The list and the live tail have the same filters, so that a link works for both pages. */
import { useMemo } from 'react'
import type { RequestsTailInput } from '#sdk/generated/requests.ts'
import type { Filter, FilterChoice, FilterValues } from '#web/ui/filter-suggestions.ts'
import { useAllRows } from '../load-all-rows.ts'
import { call } from '../operations/use-operation.ts'
import { useNames, useTagSlugs, useTeamSlugs } from '../name-suggestions.ts'
import { scopeOptions, useScope } from '../application-and-mode.ts'

const statuses = [
  ['settled', 'Charged'],
  ['refused', 'Rejected'],
  ['released', 'Not charged'],
  ['recovered', 'Recovered'],
  ['in_flight', 'In flight'],
] as const

/** Other error codes can be typed. */
const errorCodes = [
  'insufficient_credit',
  'spend_limit_exceeded',
  'balance_held',
  'rate_limited',
  'model_not_found',
  'model_not_allowed',
  'end_user_frozen',
  'upstream_overloaded',
  'upstream_rate_limited',
  'upstream_timeout',
  'upstream_error',
  'client_left',
  'response_canceled',
]

export type CallSearch = Readonly<
  Partial<
    Record<'answer' | 'cost' | 'key' | 'model' | 'provider' | 'status' | 'tag' | 'team' | 'user', string>
  >
>

export function useCallFilters({
  hasOpen = true,
}: {
  readonly hasOpen?: boolean
} = {}): readonly Filter[] {
  const scope = useScope()
  const names = useNames()
  const providers = useAllRows('providers.list').data?.rows
  const tags = useTagSlugs()
  const teams = useTeamSlugs()
  return useMemo((): readonly Filter[] => {
    const labels = (providers ?? []).map(({ label }) => label)
    const accounts = scope.mode === 'test' ? [...labels, 'simulator'] : labels
    return [
      {
        kind: 'text',
        name: 'user',
        label: 'End user',
        words: 'person customer eu_',
        looksLike: /^eu_/,
        takesAny: true,
        placeholder: 'End user ID',
        suggest: async (typed, signal) => {
          const { data } = await call(
            'users.list',
            { limit: 20, ...(typed !== '' && { search: typed }) },
            { ...scopeOptions(scope), signal },
          )
          return data.map(({ email, externalId }): FilterChoice => [externalId, email ?? externalId])
        },
      },
      { kind: 'text', name: 'key', label: 'Key', placeholder: 'key_…', looksLike: /^key_/ },
      { kind: 'text', name: 'model', label: 'Model', words: 'name alias', choices: twice(names) },
      { kind: 'text', name: 'provider', label: 'Provider', words: 'account', choices: twice(accounts) },
      { kind: 'text', name: 'tag', label: 'Tag', words: 'label', choices: twice(tags) },
      { kind: 'text', name: 'team', label: 'Team', words: 'members payer', choices: twice(teams) },
      {
        kind: 'choice',
        name: 'status',
        label: 'State',
        words: 'status outcome',
        choices: hasOpen ? statuses : statuses.filter(([status]) => status !== 'in_flight'),
      },
      {
        kind: 'choice',
        name: 'answer',
        label: 'Response',
        words: 'status class http',
        choices: [
          ['2xx', '2xx success'],
          ['4xx', '4xx rejected'],
          ['5xx', '5xx failed'],
        ],
      },
      {
        kind: 'text',
        name: 'http',
        label: 'HTTP status',
        words: 'code 200 429 503',
        placeholder: '503',
        looksLike: /^[1-5]\d\d$/,
      },
      { kind: 'text', name: 'error', label: 'Error code', choices: twice(errorCodes) },
      {
        kind: 'money',
        name: 'cost',
        label: 'Cost',
        words: 'minimum at least',
        placeholder: '0.01',
        help: 'Minimum provider cost, in dollars.',
      },
    ]
  }, [scope, names, providers, tags, teams, hasOpen])
}

export function callQuery(values: FilterValues): RequestsTailInput {
  const { answer, cost, error, http, key, model, provider, status, tag, team, user } = values
  const known = (of: string | undefined, those: readonly string[]): boolean =>
    of !== undefined && those.includes(of)
  return {
    ...(user !== undefined && { endUserId: user }),
    ...(key !== undefined && { keyId: key }),
    ...(model !== undefined && { model }),
    ...(provider !== undefined && { provider }),
    ...(tag !== undefined && { tag }),
    ...(team !== undefined && { team }),
    ...(known(
      status,
      statuses.map(([one]) => one),
    ) && { status: status as RequestsTailInput['status'] }),
    ...(known(answer, ['2xx', '4xx', '5xx']) && { statusClass: answer as RequestsTailInput['statusClass'] }),
    ...(http !== undefined && /^[1-5]\d\d$/.test(http) && { httpStatus: http }),
    ...(error !== undefined && { errorCode: error }),
    ...(cost !== undefined && /^\d+$/.test(cost) && { minCostMicros: cost }),
  }
}

function twice(values: readonly string[]): readonly FilterChoice[] {
  return values.map((value) => [value, value])
}
