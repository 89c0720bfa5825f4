/** Describes a receipt in plain words: the usage, its prices, and why a request was rejected. */
import type { types } from '#sdk/portal.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { countText } from '#web/ui/number-text.ts'

type Line = types.EndUserRequest['priceLines'][number]['lines'][number]

/** Singular and plural of each dimension of a price. */
const counted: Readonly<Record<string, readonly [one: string, several: string]>> = {
  input: ['token in', 'tokens in'],
  cacheRead: ['cached token', 'cached tokens'],
  cacheWrite: ['token written to the cache', 'tokens written to the cache'],
  cacheWriteLong: ['token written to the long cache', 'tokens written to the long cache'],
  audioInput: ['token of sound in', 'tokens of sound in'],
  imageInput: ['token of images in', 'tokens of images in'],
  output: ['token out', 'tokens out'],
  reasoning: ['token of reasoning', 'tokens of reasoning'],
  audioOutput: ['token of sound out', 'tokens of sound out'],
  imageOutput: ['token of images out', 'tokens of images out'],
  request: ['request', 'requests'],
  webSearch: ['web search', 'web searches'],
}
/** Priced per use, and not per million. */
const perUse = new Set(['request', 'webSearch'])

/** `12 304 cached tokens at $0.30 per million`. */
export function lineWords({ dimension, rate, units }: Line, unit: 'charge' | 'credits'): string {
  const [one, several] = counted[dimension] ?? [dimension, dimension]
  const what = `${countText(units)} ${units === 1 ? one : several}`
  if (rate === null) return what
  const price = unit === 'credits' ? creditsText(rate) : moneyText(rate)
  return `${what} at ${price} ${perUse.has(dimension) ? 'each' : 'per million'}`
}

/** Converts an exact decimal of micros to dollars, with every digit: `3691.2` becomes `$0.0036912`. */
export function exactDollars(exact: string): string {
  const [whole = '0', decimals = ''] = exact.split('.')
  const isNegative = whole.startsWith('-')
  const digits = whole.replace('-', '').padStart(7, '0')
  const dollars = digits.slice(0, -6).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
  const cents = `${digits.slice(-6)}${decimals}`.replace(/0+$/, '').padEnd(2, '0')
  return `${isNegative ? '\u2212' : ''}$${dollars}.${cents}`
}

/** Formats millionths of a credit: `0.25 credits`. */
export function creditsText(millionths: string | bigint): string {
  const text = moneyText(millionths).replace('$', '').replace(/\.00$/, '')
  return `${text} credit${text === '1' ? '' : 's'}`
}

/** Converts micros in a sentence of the API to dollars. */
export function inDollars(sentence: string): string {
  return sentence.replaceAll(/(\d+) micros/g, (_, micros: string) => moneyText(micros))
}

export interface Why {
  readonly title: string
  /** Sentences with the numbers. */
  readonly why: readonly string[]
  /** Possible actions, each with its page in this portal or elsewhere (`https://`). Null if there is no page. */
  readonly helps: readonly { readonly words: string; readonly to: string | null }[]
}

/** Returns why a request was rejected or interrupted, and what to do. Null if neither happened. */
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
    const title = source === 'unpaid_invoice' ? 'An invoice is past due' : 'There was too little left'
    return { title, why: said, helps: [...creditHelps(refusal), fewerTokens] }
  }
  if (code === 'balance_held') {
    return {
      title: 'Your other calls held what was left',
      why: said,
      helps: [{ words: 'Send it again, or run fewer calls at once', to: null }],
    }
  }
  if (code === 'spend_limit_exceeded' || code === 'stream_spend_limit' || code === 'outcome_capped') {
    const [title, help] = limits[source] ?? ['A limit was reached', null]
    return { title, why: said, helps: help ? [help] : [] }
  }
  const name = requestedModel ?? 'this name'
  const plain = plainly[code]
  if (plain) return { ...plain, why: [plain.why.replace('{name}', name)] }
  return {
    title: code === 'client_closed' ? 'Your program left' : 'It could not be answered',
    why: refusal?.message ? [inDollars(refusal.message)] : [`The code of the fault is ${code}.`],
    helps: [],
  }
}

type Help = Why['helps'][number]

const fewerTokens: Help = { words: 'Ask for fewer tokens (a smaller max_tokens)', to: null }

/**
 * Suggests buying credit or paying if the application has such pages, and on-demand billing unless an invoice blocks
 * it.
 */
function creditHelps(refusal: types.EndUserRequest['refusal']): Help[] {
  const { limitSource, payUrl, topUpUrl } = refusal ?? {}
  return [
    ...(payUrl ? [{ words: 'Pay the invoice', to: payUrl }] : []),
    ...(topUpUrl ? [{ words: 'Add credit', to: topUpUrl }] : []),
    ...(limitSource === 'unpaid_invoice'
      ? [{ words: 'See the invoice', to: '/plan' }]
      : [{ words: 'Turn on on-demand, up to a ceiling of yours', to: '/limits' }]),
  ]
}

const limits: Readonly<Record<string, readonly [title: string, help: Help | null]>> = {
  key_cap: [
    'The cap of the key was reached',
    { words: 'Use another key, or wait until the cap resets', to: '/keys' },
  ],
  bundle_limit: [
    'The limit of your plan was reached',
    { words: 'See where you will be stopped', to: '/limits' },
  ],
  end_user_limit: ['Your limit was reached', { words: 'See your limits and when they reset', to: '/limits' }],
  portal_total: [
    'The total of the keys you created was reached',
    { words: 'See your limits and when they reset', to: '/limits' },
  ],
  on_demand_ceiling: ['Your on-demand ceiling was reached', { words: 'Raise the ceiling', to: '/limits' }],
  outcome_run: ['The ceiling of the run was reached', { words: 'Start another run', to: null }],
  balance: [
    'Your balance was used up',
    { words: 'Turn on on-demand, up to a ceiling of yours', to: '/limits' },
  ],
  pool: [
    'What your plan includes was used up',
    { words: 'Turn on on-demand, up to a ceiling of yours', to: '/limits' },
  ],
}

const plainly: Readonly<
  Record<string, { readonly title: string; readonly why: string; readonly helps: readonly Help[] }>
> = {
  end_user_frozen: {
    title: 'Your calls were stopped',
    why: 'Spending was stopped for your account, so no call was let through.',
    helps: [],
  },
  model_not_allowed: {
    title: 'Your plan does not open this name',
    why: '{name} is not among the names of your plan.',
    helps: [{ words: 'See the names that are open to you', to: '/docs' }],
  },
  model_not_found: {
    title: 'There is no such name',
    why: '{name} is no name that can be called here.',
    helps: [{ words: 'See the names that are open to you', to: '/docs' }],
  },
  model_disabled: {
    title: 'This name is switched off',
    why: '{name} takes no calls at present.',
    helps: [{ words: 'See the names that are open to you', to: '/docs' }],
  },
  key_revoked: {
    title: 'The key had been revoked',
    why: 'A key that was revoked makes no calls any more.',
    helps: [{ words: 'Make another key', to: '/keys?act=new' }],
  },
  key_expired: {
    title: 'The key had expired',
    why: 'Its time was over.',
    helps: [{ words: 'Make another key', to: '/keys?act=new' }],
  },
}

/** Describes a correction. Its amount is shown next to it without a sign. */
export function correctionWords(kind: string, chargeMicros: string): string {
  if (kind === 'refund') return 'Refunded'
  return chargeMicros.startsWith('-') ? 'Returned: less was used' : 'Added: more was used'
}
