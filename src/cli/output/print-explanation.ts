/** Prints the explanation of a request: its timeline, then every phase with its amounts on the right. */
import type { RequestsExplainOutput } from '#sdk/generated/requests.ts'
import { exactDollars, inDollars, spaced } from '#explain/amounts-in-explanation-text.ts'
import { wordsOf } from '#cli/operations/command-and-flag-names.ts'
import type { Screen } from '#cli/terminal-interface.ts'
import { isPerUse } from '#money/price.ts'
import { creditsText } from './credits-text.ts'
import { moneyText } from './dollars-and-micros.ts'
import { paint, type Style } from './terminal-colors.ts'
import { timeText } from './aligned-table.ts'
import { harmless, padEnd, padStart, widthOf, wrapped } from './text-width.ts'

type Told = RequestsExplainOutput
type Section<Name extends keyof Told> = NonNullable<Told[Name]>
type Leg = NonNullable<Section<'settle'>['legs']>[number]

interface Line {
  readonly phase: string
  readonly words: string
  readonly money: string
  readonly style?: Style
}

const pipedWidth = 100
const widest = 120
const phaseWidth = 10

export function waterfallText(told: Told, screen: Screen): string {
  const width = Math.min(widest, screen.columns ?? pipedWidth)
  const head = [told.id, statusText(told.status, screen), told.httpStatus, told.requestedModel]
  const facts = [told.wire, told.streamed && 'streamed', timeText(told.createdAt)]
  return [
    words(head, '  '),
    paint(screen, 'dim', words(facts)),
    '',
    ...wrapped(harmless(inDollars(told.summary, moneyText)), width).map((part) =>
      paint(screen, 'bold', part),
    ),
    '',
    ...timelineLines(told, width, screen),
    ...linesOf(told).flatMap((one) => printed(one, width, screen)),
  ]
    .map((printedLine) => `${printedLine.trimEnd()}\n`)
    .join('')
}

function statusText(status: string, screen: Screen): string {
  const style = status === 'settled' ? 'green' : status === 'in_flight' ? 'yellow' : 'red'
  return paint(screen, style, status)
}

function timelineLines({ reserve, settle, timeline }: Told, width: number, screen: Screen): string[] {
  const endMs = Math.max(...timeline.map(({ atMs, durationMs }) => atMs + durationMs))
  if (timeline.length === 0 || endMs <= 0) return []
  const amounts: Readonly<Record<string, string>> = {
    decide: heldOf(reserve) && `held ${heldOf(reserve)}`,
    settle: settle?.chargeMicros ? `charged ${moneyText(settle.chargeMicros)}` : '',
  }
  const moneyWidth = Math.max(...timeline.map(({ phase }) => widthOf(amounts[phase] ?? '')))
  const room = Math.max(8, width - phaseWidth - 2 - 20 - 1 - 2 - moneyWidth)
  const lines = timeline.map(({ atMs, durationMs, phase }) => {
    const from = Math.min(room - 1, Math.floor((atMs * room) / endMs))
    const length = Math.max(1, Math.min(room - from, Math.round((durationMs * room) / endMs)))
    const bar =
      ' '.repeat(from) + paint(screen, 'cyan', '█'.repeat(length)) + ' '.repeat(room - from - length)
    const times = `${padStart(`${atMs}`, 8)} ${padStart(`+${durationMs} ms`, 11)}`
    return `${padEnd(phase, phaseWidth)}  ${paint(screen, 'dim', times)} ${bar}  ${padStart(amounts[phase] ?? '', moneyWidth)}`
  })
  return [...lines, '']
}

function heldOf(reserve: Told['reserve']): string {
  return money(reserve?.firstWorstMicros ?? reserve?.worstMicros)
}

function linesOf(told: Told): Line[] {
  const { auth, policy, quote, refusal, reserve, route, settle, stream, usage } = told
  return [
    ...(auth ? [authLine(auth)] : []),
    ...(policy ? policyLines(policy) : []),
    ...(quote ? quoteLines(quote) : []),
    ...(reserve ? reserveLines(reserve) : []),
    ...(route ? routeLines(route) : []),
    ...told.attempts.map(attemptLine),
    ...(stream ? [streamLine(stream)] : []),
    ...(refusal ? refusalLines(refusal) : []),
    ...(usage ? [usageLine(usage)] : []),
    ...told.priceLines.flatMap(priceLines),
    ...(settle ? settleLines(settle) : []),
    ...told.ledger.map(ledgerLine),
    ...told.emitters.map(emitterLine),
  ]
}

function authLine({ endUserId, keyId, keyName, keyPrefix, mode }: Section<'auth'>): Line {
  const key = words([keyPrefix ?? keyId, keyName && `“${keyName}”`], ' ')
  return line('auth', [key, endUserId, mode])
}

function policyLines({ bundle, debitBasis, limits, terminationPolicy }: Section<'policy'>): Line[] {
  const basis = debitBasis && `charges the ${debitBasis.replaceAll('_', ' ')}`
  return [
    line('policy', [bundle && `bundle ${bundle}`, terminationPolicy, basis]),
    ...(limits ?? []).map(
      ({ availableMicros, heldMicros, limitMicros, name, scope, usedMicros, verdict }) => {
        const numbers = [
          usedMicros && `used ${moneyText(usedMicros)}`,
          heldMicros && `held ${moneyText(heldMicros)}`,
          availableMicros && `available ${moneyText(availableMicros)}`,
        ]
        const isRefused = verdict === 'refused'
        const facts = [words([name, scope], ' '), ...numbers, isRefused ? 'exceeded' : 'ok']
        return line('', facts, money(limitMicros), isRefused ? 'red' : null)
      },
    ),
  ]
}

function quoteLines({ textTokensBy, worstCase }: Section<'quote'>): Line[] {
  if (!worstCase) return []
  const { inputTokensMax, micros, outputTokensMax } = worstCase
  const counted = textTokensBy ? ` (by ${textTokensBy})` : ''
  const facts = [`at most ${inputTokensMax} tokens in${counted}, ${outputTokensMax} tokens out`]
  return [line('quote', facts, money(micros))]
}

function reserveLines(reserve: Section<'reserve'>): Line[] {
  const { extendedMicros, holdId, isClamped, legs, outputTokensPerChoice, waitedMs } = reserve
  const clamped = isClamped === true && `limited to ${outputTokensPerChoice} tokens`
  return [
    line('reserve', [holdId, clamped, after('waited', waitedMs)], heldOf(reserve)),
    ...(extendedMicros && extendedMicros !== '0'
      ? [line('', ['extended during the response'], moneyText(extendedMicros))]
      : []),
    ...(legs ?? []).map((leg) => line('', [`from ${leg.sourceId ?? leg.kind}`], legText(leg))),
  ]
}

function legText({ amount, unit }: Leg): string {
  return unit === 'credits' ? creditsText(amount ?? '') : money(amount)
}

function routeLines({ account, candidates, lost, model, provider, upstreamWire }: Section<'route'>): Line[] {
  const where = words([account ?? provider, model], '/')
  const omitted = lost && lost.length > 0 && `without ${lost.join(', ')}`
  return [
    line('route', [where, upstreamWire && `sent as ${upstreamWire}`, omitted]),
    ...(candidates ?? [])
      .filter(({ skipped }) => typeof skipped === 'string')
      .map((one) => line('', [`skipped ${words([one.account, one.model], '/')}: ${one.skipped}`])),
  ]
}

function attemptLine(attempt: Told['attempts'][number]): Line {
  const { connectMs, durationMs, failure, firstByteMs, n, status, target } = attempt
  const times = [
    after('connected after', connectMs),
    after('first byte after', firstByteMs),
    after('ended after', durationMs),
  ]
  const isGood = typeof status === 'number' && status >= 200 && status < 300
  return line(`attempt ${n}`, [target, status ?? failure, ...times], '', isGood ? null : 'yellow')
}

function streamLine(stream: Section<'stream'>): Line {
  const { clientLeftAtMs, end, firstTokenMs, longestGapMs, tokensPerSecond } = stream
  return line('stream', [
    end,
    after('first token at', firstTokenMs),
    typeof tokensPerSecond === 'number' && `${tokensPerSecond} tokens/s`,
    after('longest gap', longestGapMs),
    after('client disconnected at', clientLeftAtMs),
  ])
}

function refusalLines(refusal: Section<'refusal'>): Line[] {
  const { code, fix, fixOperation, resetsAt } = refusal
  const numbers = (['limit', 'used', 'held', 'available', 'requested'] as const).map((name) => {
    const value = refusal[name]
    return value && /^-?\d+$/.test(value) && `${name} ${moneyText(value)}`
  })
  return [
    line('refusal', [code], '', 'red'),
    ...[
      words([...numbers, resetsAt && `resets ${timeText(resetsAt)}`]),
      fix && `Fix: ${inDollars(fix, moneyText)}`,
      fixOperation && `     tollgate ${wordsOf(fixOperation).join(' ')}`,
    ].flatMap((part) => (part ? [line('', [part])] : [])),
  ]
}

function usageLine(usage: Section<'usage'>): Line {
  const counts = Object.entries(usage).flatMap(([name, value]) =>
    typeof value === 'number' && value > 0 ? [`${value.toLocaleString('en-US')} ${spaced(name)}`] : [],
  )
  return line('usage', [...counts, `source: ${(usage.tokenSource ?? '').replaceAll('_', ' ')}`])
}

function priceLines({ amount, lines, multiplier, price }: Told['priceLines'][number]): Line[] {
  const isMoney = price !== 'credits'
  const amountText = isMoney ? moneyText : creditsText
  const printedLines = lines.map(({ assumed, dimension, exact, rate, units }, at) => {
    const by = rate === null ? 'no rate' : `${amountText(rate)}${isPerUse(dimension) ? '' : '/M'}`
    return line(
      at === 0 ? price : '',
      [`${units.toLocaleString('en-US')} ${spaced(dimension)} × ${by}${assumed ? ' (assumed)' : ''}`],
      isMoney ? exactDollars(exact, moneyText) : creditsText(exact),
    )
  })
  const times = multiplier === '1000' ? '' : `, × ${Number(multiplier) / 1000}`
  const phase = lines.length === 0 ? price : ''
  return [...printedLines, line(phase, [`sum, rounded up once${times}`], amountText(amount))]
}

function settleLines(settle: Section<'settle'>): Line[] {
  const { assumedMicros, billedMicros, chargeMicros, costMicros, marginMicros, releasedMicros } = settle
  const flags = (['isEstimated', 'isRecovered', 'isOverHold', 'isLate'] as const)
    .filter((name) => settle[name] === true)
    .map((name) => spaced(name.slice(2)))
  const outcome = words([settle.outcome, settle.outcomeRun], ' ')
  const amounts = [
    ['charged', chargeMicros],
    ['released', releasedMicros],
    ['billed', billedMicros],
    ['cost', costMicros],
    ['cost assumed', assumedMicros === '0' ? null : assumedMicros],
    ['margin', marginMicros],
  ] as const
  return amounts
    .filter(([, micros]) => typeof micros === 'string')
    .map(([name, micros], at) =>
      at === 0
        ? line('settle', [name, ...flags, outcome && `outcome ${outcome}`], money(micros))
        : line('', [name], money(micros)),
    )
}

function ledgerLine(entry: Told['ledger'][number], at: number): Line {
  const { amountUnits, balanceAfterUnits, id, kind, source, unit } = entry
  const amountText = unit === 'credits' ? creditsText : moneyText
  const facts = [id, spaced(kind), `${source} now ${amountText(balanceAfterUnits)}`]
  return line(at === 0 ? 'ledger' : '', facts, amountText(amountUnits))
}

function emitterLine(emitter: Told['emitters'][number], at: number): Line {
  return line(at === 0 ? 'emitters' : '', Object.values(emitter))
}

type Part = string | number | false | null | undefined

function line(phase: string, parts: readonly Part[], amountText = '', style: Style | null = null): Line {
  return { phase, words: harmless(words(parts)), money: amountText, ...(style && { style }) }
}

function printed(
  { money: amountText, phase, style, words: said }: Line,
  width: number,
  screen: Screen,
): string[] {
  const room = Math.max(20, width - phaseWidth - 2 - (amountText === '' ? 0 : widthOf(amountText) + 2))
  return wrapped(said, room).map((part, at) => {
    const name = paint(screen, 'dim', padEnd(at === 0 ? phase : '', phaseWidth))
    const shown = style ? paint(screen, style, part) : part
    const right =
      at === 0 && amountText !== '' ? `${' '.repeat(Math.max(0, room - widthOf(part)))}  ${amountText}` : ''
    return `${name}  ${shown}${right}`
  })
}

function words(parts: readonly Part[], between = ' · '): string {
  return parts
    .filter((part) => part !== null && part !== undefined && part !== false && part !== '')
    .join(between)
}

function after(name: string, ms: number | null | undefined): string | false {
  return typeof ms === 'number' && `${name} ${ms} ms`
}

function money(micros: string | null | undefined): string {
  return micros ? moneyText(micros) : ''
}
