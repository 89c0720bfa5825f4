import { inDollars } from '#explain/amounts-in-explanation-text.ts'
import { factsOf, isDimension, isPerUse } from '#money/price.ts'
import type { types } from '#sdk/portal.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { countText } from '#web/ui/number-text.ts'

type Line = types.EndUserRequest['priceLines'][number]['lines'][number]

/** Such as `12 304 cached input tokens at $0.30 per million`. */
export function lineWords({ dimension, rate, units }: Line, unit: 'charge' | 'credits'): string {
  const [one, several] = isDimension(dimension) ? factsOf(dimension).units : [dimension, dimension]
  const what = `${countText(units)} ${units === 1 ? one : several}`
  if (rate === null) return what
  const price = unit === 'credits' ? creditsText(rate) : moneyText(rate)
  return `${what} at ${price} ${isPerUse(dimension) ? 'each' : 'per million'}`
}

/** Such as `0.25 credits`. */
export function creditsText(millionths: string | bigint): string {
  const text = moneyText(millionths).replace('$', '').replace(/\.00$/, '')
  return `${text} credit${text === '1' ? '' : 's'}`
}

export interface Why {
  readonly title: string
  readonly why: readonly string[]
  /** A page is in this portal or elsewhere (`https://`). Null if the action has no page. */
  readonly helps: readonly { readonly words: string; readonly to: string | null }[]
}

/** Null if the request was neither rejected nor interrupted. */
export function whyOf({
  errorCode,
  refusal,
  requestedModel,
}: Pick<types.EndUserRequest, 'errorCode' | 'refusal' | 'requestedModel'>): Why | null {
  const code = refusal?.code ?? errorCode
  if (code === null || code === undefined) return null
  const said = refusal?.message ? [refusal.message] : []
  const source = refusal?.limitSource ?? ''
  if (code === 'insufficient_credit') {
    const title = source === 'unpaid_invoice' ? 'An invoice is past due' : 'Not enough credit was left'
    return { title, why: said, helps: [...creditHelps(refusal), fewerTokens] }
  }
  if (code === 'balance_held') {
    return {
      title: 'Your other requests held the remaining credit',
      why: said,
      helps: [{ words: 'Try again, or send fewer requests at the same time', to: null }],
    }
  }
  if (code === 'spend_limit_exceeded' || code === 'outcome_capped') {
    const [title, help] = limits[source] ?? ['A limit was reached', null]
    return { title, why: said, helps: help ? [help] : [] }
  }
  if (code === 'rate_limited' && source === 'team_limit') {
    return { title: 'A limit of your team was reached', why: said, helps: [] }
  }
  if (code === 'rate_limited' && (source === 'application_limit' || source === 'tag_limit')) {
    return { title: 'A limit of the application was reached', why: said, helps: [] }
  }
  const owner = code === 'rate_limited' ? rateOwners[source] : undefined
  if (owner !== undefined) {
    return {
      title: `A limit of ${owner} was reached`,
      why: said,
      helps: [{ words: 'View your limits and when they reset', to: '/limits' }],
    }
  }
  const name = requestedModel ?? 'This model'
  const plain = plainly[code]
  if (plain) return { ...plain, why: [plain.why.replace('{name}', name)] }
  return {
    title: 'The request failed',
    why: refusal?.message ? [inDollars(refusal.message, moneyText)] : [`The error code is ${code}.`],
    helps: [],
  }
}

type Help = Why['helps'][number]

const fewerTokens: Help = { words: 'Request fewer tokens with a smaller max_tokens', to: null }

/** Suggests on-demand billing unless an invoice blocks it. */
function creditHelps(refusal: types.EndUserRequest['refusal']): Help[] {
  const { limitSource, payUrl, topUpUrl } = refusal ?? {}
  return [
    ...(payUrl ? [{ words: 'Pay invoice', to: payUrl }] : []),
    ...(topUpUrl ? [{ words: 'Add credit', to: topUpUrl }] : []),
    ...(limitSource === 'unpaid_invoice'
      ? [{ words: 'View invoice', to: '/plan' }]
      : [{ words: 'Turn on on-demand billing with a monthly limit', to: '/limits' }]),
  ]
}

const rateOwners: Readonly<Record<string, string>> = {
  key_limit: 'the key',
  bundle_limit: 'your plan',
  end_user_limit: 'your account',
}

const limits: Readonly<Record<string, readonly [title: string, help: Help | null]>> = {
  key_limit: [
    'A limit of the key was reached',
    { words: 'Use another key, or view the limits of this key', to: '/limits' },
  ],
  key_cap: [
    "The key's cap was reached",
    { words: 'Use another key, or wait until the cap resets', to: '/keys' },
  ],
  bundle_limit: [
    "Your plan's limit was reached",
    { words: 'View your limits and when they reset', to: '/limits' },
  ],
  end_user_limit: [
    'Your spend limit was reached',
    { words: 'View your limits and when they reset', to: '/limits' },
  ],
  portal_total: [
    'The shared spend limit of keys created in the portal was reached',
    { words: 'View your limits and when they reset', to: '/limits' },
  ],
  on_demand_ceiling: [
    'Your monthly on-demand limit was reached',
    { words: 'Raise your monthly limit', to: '/limits' },
  ],
  member_cap: [
    'Your monthly limit in the team was reached',
    { words: 'View your limits and when they reset', to: '/limits' },
  ],
  outcome_run: ['The ceiling of the run was reached', { words: 'Start a new run', to: null }],
  balance: [
    'Your balance was used up',
    { words: 'Turn on on-demand billing with a monthly limit', to: '/limits' },
  ],
  pool: [
    "Your plan's credit was used up",
    { words: 'Turn on on-demand billing with a monthly limit', to: '/limits' },
  ],
}

const plainly: Readonly<
  Record<string, { readonly title: string; readonly why: string; readonly helps: readonly Help[] }>
> = {
  end_user_frozen: {
    title: 'Your account was frozen',
    why: 'All requests are rejected while your account is frozen.',
    helps: [],
  },
  model_not_allowed: {
    title: 'Your plan does not include this model',
    why: '{name} is not included in your plan.',
    helps: [{ words: 'View your models', to: '/docs' }],
  },
  model_not_found: {
    title: 'Model not found',
    why: '{name} does not exist.',
    helps: [{ words: 'View your models', to: '/docs' }],
  },
  model_disabled: {
    title: 'This model was disabled',
    why: '{name} does not accept requests at the moment.',
    helps: [{ words: 'View your models', to: '/docs' }],
  },
  key_revoked: {
    title: 'The key was revoked',
    why: 'Requests with a revoked key are rejected.',
    helps: [{ words: 'Create a new key', to: '/keys?act=new' }],
  },
  key_expired: {
    title: 'The key had expired',
    why: 'Requests with an expired key are rejected.',
    helps: [{ words: 'Create a new key', to: '/keys?act=new' }],
  },
  client_left: {
    title: 'Your program closed the connection',
    why: 'The connection closed before the response was complete.',
    helps: [],
  },
  response_canceled: {
    title: 'The response was canceled',
    why: 'The response was canceled before it was complete.',
    helps: [],
  },
}

/** The amount is shown next to the text without a sign. */
export function correctionWords(kind: string, chargeMicros: string): string {
  if (kind === 'refund') return 'Refunded'
  return chargeMicros.startsWith('-')
    ? 'Returned: less usage than first charged'
    : 'Charged: more usage than first charged'
}
