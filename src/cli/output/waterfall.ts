/** Prints the explanation of a request: its timeline, then every phase with its amounts at the right. */
import { wordsOf } from '#cli/operations/names.ts'
import type { Screen } from '#cli/terminal.ts'
import { isPerUse } from '#money/price.ts'
import { exactDollars, inDollars, spaced } from './call-words.ts'
import { creditsText } from './credits.ts'
import { moneyText } from './money.ts'
import { paint, type Style } from './style.ts'
import { isRow, timeText, type Row } from './table.ts'
import { harmless, padEnd, padStart, widthOf, wrapped } from './text-width.ts'

interface Line {
  readonly phase: string
  readonly words: string
  readonly money: string
  readonly style?: Style
}

/** Width without a terminal. */
const pipedWidth = 100
const widest = 120
const phaseWidth = 10

/** @param answer the response of requests.explain */
export function waterfallText(answer: Row, screen: Screen): string {
  const width = Math.min(widest, screen.columns ?? pipedWidth)
  const status = text(answer['status'])
  const head = [
    text(answer['id']),
    statusText(status, screen),
    text(answer['httpStatus']),
    text(answer['requestedModel']),
  ]
  const facts = [
    text(answer['wire']),
    answer['streamed'] === true ? 'streamed' : '',
    timeText(text(answer['createdAt'])),
  ]
  const summary = inDollars(text(answer['summary']), moneyText)
  const phases = linesOf(answer).flatMap((one) => printed(one, width, screen))
  return [
    words(head, '  '),
    paint(screen, 'dim', words(facts, ' · ')),
    '',
    ...wrapped(harmless(summary), width).map((part) => paint(screen, 'bold', part)),
    '',
    ...timelineLines(answer, width, screen),
    ...phases,
  ]
    .map((printedLine) => `${printedLine.trimEnd()}\n`)
    .join('')
}

function statusText(status: string, screen: Screen): string {
  const style = status === 'settled' ? 'green' : status === 'in_flight' ? 'yellow' : 'red'
  return paint(screen, style, status)
}

function timelineLines(answer: Row, width: number, screen: Screen): string[] {
  const spans = rows(answer['timeline']).map((span) => ({
    phase: text(span['phase']),
    atMs: Number(span['atMs']),
    durationMs: Number(span['durationMs']),
  }))
  const endMs = Math.max(...spans.map(({ atMs, durationMs }) => atMs + durationMs))
  if (spans.length === 0 || endMs <= 0) return []
  const settle = row(answer['settle'])
  const amounts: Readonly<Record<string, string>> = {
    decide: amount(row(answer['reserve']), 'firstWorstMicros', 'worstMicros', 'held '),
    settle: amount(settle, 'chargeMicros', 'chargeMicros', 'charged '),
  }
  const moneyWidth = Math.max(...spans.map(({ phase }) => widthOf(amounts[phase] ?? '')))
  const room = Math.max(8, width - phaseWidth - 2 - 20 - 1 - 2 - moneyWidth)
  const lines = spans.map(({ atMs, durationMs, phase }) => {
    const from = Math.min(room - 1, Math.floor((atMs * room) / endMs))
    const length = Math.max(1, Math.min(room - from, Math.round((durationMs * room) / endMs)))
    const bar =
      ' '.repeat(from) + paint(screen, 'cyan', '█'.repeat(length)) + ' '.repeat(room - from - length)
    const times = `${padStart(`${atMs}`, 8)} ${padStart(`+${durationMs} ms`, 11)}`
    return `${padEnd(phase, phaseWidth)}  ${paint(screen, 'dim', times)} ${bar}  ${padStart(amounts[phase] ?? '', moneyWidth)}`
  })
  return [...lines, '']
}

function amount(phase: Row | null, name: string, otherwise: string, before: string): string {
  const value = phase?.[name] ?? phase?.[otherwise]
  return typeof value === 'string' ? before + moneyText(value) : ''
}

function linesOf(answer: Row): Line[] {
  return [
    ...authLines(row(answer['auth'])),
    ...policyLines(row(answer['policy'])),
    ...quoteLines(row(answer['quote'])),
    ...reserveLines(row(answer['reserve'])),
    ...routeLines(row(answer['route'])),
    ...rows(answer['attempts']).map(attemptLine),
    ...streamLines(row(answer['stream'])),
    ...refusalLines(row(answer['refusal'])),
    ...usageLines(row(answer['usage'])),
    ...priceLines(rows(answer['priceLines'])),
    ...settleLines(row(answer['settle'])),
    ...rows(answer['ledger']).map(ledgerLine),
    ...rows(answer['emitters']).map(emitterLine),
  ]
}

function authLines(auth: Row | null): Line[] {
  if (!auth) return []
  const key = words([text(auth['keyPrefix']) || text(auth['keyId']), quoted(text(auth['keyName']))], ' ')
  return [line('auth', words([key, text(auth['endUserId']), text(auth['mode'])], ' · '))]
}

function policyLines(policy: Row | null): Line[] {
  if (!policy) return []
  const bundle = text(policy['bundle'])
  const facts = [
    bundle && `bundle ${bundle}`,
    text(policy['terminationPolicy']),
    debit(text(policy['debitBasis'])),
  ]
  const limits = rows(policy['limits']).map((limit) => {
    const numbers = (['used', 'held', 'available'] as const).map((name) => {
      const value = text(limit[`${name}Micros`])
      return value && `${name} ${moneyText(value)}`
    })
    const ceiling = text(limit['limitMicros'])
    const isRefused = limit['verdict'] === 'refused'
    return {
      ...line(
        '',
        words(
          [`${text(limit['name'])} ${text(limit['scope'])}`, ...numbers, isRefused ? 'exceeded' : 'ok'],
          ' · ',
        ),
        ceiling && moneyText(ceiling),
      ),
      ...(isRefused && { style: 'red' as const }),
    }
  })
  return [line('policy', words(facts, ' · ')), ...limits]
}

function debit(basis: string): string {
  return basis && `charges the ${basis.replaceAll('_', ' ')}`
}

function quoteLines(quote: Row | null): Line[] {
  const worst = row(quote?.['worstCase'])
  if (!quote || !worst) return []
  const counted = text(quote['textTokensBy'])
  const facts = [
    `at most ${text(worst['inputTokensMax'])} tokens in${counted && ` (by ${counted})`}, ${text(worst['outputTokensMax'])} tokens out`,
  ]
  return [line('quote', words(facts, ' · '), moneyText(text(worst['micros'])))]
}

function reserveLines(reserve: Row | null): Line[] {
  if (!reserve) return []
  const waited = text(reserve['waitedMs'])
  const facts = [
    text(reserve['holdId']),
    reserve['isClamped'] === true ? `clamped to ${text(reserve['outputTokensPerChoice'])} tokens` : '',
    waited && `waited ${waited} ms`,
  ]
  const extended = text(reserve['extendedMicros'])
  return [
    line('reserve', words(facts, ' · '), money(reserve['firstWorstMicros'] ?? reserve['worstMicros'])),
    ...(extended !== '' && extended !== '0'
      ? [line('', 'extended during the response', moneyText(extended))]
      : []),
    ...rows(reserve['legs']).map((leg) =>
      line('', `from ${text(leg['sourceId']) || text(leg['kind'])}`, legText(leg)),
    ),
  ]
}

function legText(leg: Row): string {
  return leg['unit'] === 'credits' ? creditsText(text(leg['amount'])) : money(leg['amount'])
}

function routeLines(route: Row | null): Line[] {
  if (!route) return []
  const lost: unknown[] = Array.isArray(route['lost']) ? route['lost'] : []
  const skipped = rows(route['candidates']).filter((candidate) => typeof candidate['skipped'] === 'string')
  const where = words([text(route['account']) || text(route['provider']), text(route['model'])], '/')
  const wire = text(route['upstreamWire'])
  return [
    line(
      'route',
      words([where, wire && `sent as ${wire}`, lost.length > 0 ? `without ${lost.join(', ')}` : ''], ' · '),
    ),
    ...skipped.map((one) =>
      line('', `skipped ${words([text(one['account']), text(one['model'])], '/')}: ${text(one['skipped'])}`),
    ),
  ]
}

function attemptLine(attempt: Row): Line {
  const status = text(attempt['status']) || text(attempt['failure'])
  const times = [
    ['connected', 'connectMs'],
    ['first byte', 'firstByteMs'],
    ['ended', 'durationMs'],
  ].map(([name = '', field = '']) =>
    text(attempt[field]) === '' ? '' : `${name} after ${text(attempt[field])} ms`,
  )
  const isBad = !status.startsWith('2')
  return {
    ...line(`attempt ${text(attempt['n'])}`, words([text(attempt['target']), status, ...times], ' · ')),
    ...(isBad && { style: 'yellow' as const }),
  }
}

function streamLines(stream: Row | null): Line[] {
  if (!stream) return []
  const after = (name: string, field: string, unit: string): string => {
    const value = text(stream[field])
    return value && `${name} ${value} ${unit}`
  }
  const facts = [
    text(stream['end']),
    after('first token at', 'firstTokenMs', 'ms'),
    after('', 'tokensPerSecond', 'tokens/s').trim(),
    after('longest gap', 'longestGapMs', 'ms'),
    after('client left at', 'clientLeftAtMs', 'ms'),
  ]
  return [line('stream', words(facts, ' · '))]
}

function refusalLines(refusal: Row | null): Line[] {
  if (!refusal) return []
  const numbers = ['limit', 'used', 'held', 'available', 'requested'].map((name) => {
    const value = text(refusal[name])
    return /^-?\d+$/.test(value) ? `${name} ${moneyText(value)}` : ''
  })
  const resets = text(refusal['resetsAt'])
  const fix = text(refusal['fix'])
  const operation = text(refusal['fixOperation'])
  return [
    { ...line('refusal', text(refusal['code'])), style: 'red' },
    ...[
      words([...numbers, resets && `resets ${timeText(resets)}`], ' · '),
      fix && `Fix: ${inDollars(fix, moneyText)}`,
      operation && `     tollgate ${wordsOf(operation).join(' ')}`,
    ]
      .filter((part) => part !== '')
      .map((part) => line('', part)),
  ]
}

/** Includes only usage above zero. */
function usageLines(usage: Row | null): Line[] {
  if (!usage) return []
  const counts = Object.entries(usage).filter(([, value]) => typeof value === 'number' && value > 0)
  const named = counts.map(([name, value]) => `${Number(value).toLocaleString('en-US')} ${spaced(name)}`)
  return [
    line('usage', words([...named, `source: ${text(usage['tokenSource']).replaceAll('_', ' ')}`], ' · ')),
  ]
}

function priceLines(prices: readonly Row[]): Line[] {
  return prices.flatMap((price) => {
    const kind = text(price['price'])
    const isMoney = kind !== 'credits'
    const lines = rows(price['lines']).map((one, at) => {
      const rate = text(one['rate'])
      const by =
        rate === ''
          ? 'no rate'
          : isMoney
            ? `${moneyText(rate)}${isPerUse(text(one['dimension'])) ? '' : '/M'}`
            : `${creditsText(rate)}${isPerUse(text(one['dimension'])) ? '' : '/M'}`
      const what = `${Number(one['units']).toLocaleString('en-US')} ${spaced(text(one['dimension']))} × ${by}${one['assumed'] === true ? ' (assumed)' : ''}`
      return line(
        at === 0 ? kind : '',
        what,
        isMoney ? exactDollars(text(one['exact']), moneyText) : creditsText(text(one['exact'])),
      )
    })
    const multiplier = text(price['multiplier'])
    const times = multiplier === '1000' || multiplier === '' ? '' : `, × ${Number(multiplier) / 1000}`
    const sum = isMoney ? money(price['amount']) : creditsText(text(price['amount']))
    return [...lines, line(lines.length === 0 ? kind : '', `sum, rounded up once${times}`, sum)]
  })
}

function settleLines(settle: Row | null): Line[] {
  if (!settle) return []
  const flags = ['isEstimated', 'isRecovered', 'isOverHold', 'isLate'].filter((name) => settle[name] === true)
  const outcome = words([text(settle['outcome']), text(settle['outcomeRun'])], ' ')
  const facts = [...flags.map((name) => spaced(name.slice(2))), outcome && `outcome ${outcome}`]
  const amounts = [
    ['charged', 'chargeMicros'],
    ['released', 'releasedMicros'],
    ['billed', 'billedMicros'],
    ['cost', 'costMicros'],
    ...(text(settle['assumedMicros']) === '0' ? [] : [['cost assumed', 'assumedMicros']]),
    ['margin', 'marginMicros'],
  ].flatMap(([name = '', field = '']) =>
    text(settle[field]) === '' ? [] : [line('', name, money(settle[field]))],
  )
  const [first, ...more] = amounts
  return first ? [{ ...first, phase: 'settle', words: words([first.words, ...facts], ' · ') }, ...more] : []
}

function ledgerLine(entry: Row, at: number): Line {
  const unit = entry['unit'] === 'credits'
  const amounts = unit ? creditsText(text(entry['amountUnits'])) : money(entry['amountUnits'])
  const after = unit ? creditsText(text(entry['balanceAfterUnits'])) : money(entry['balanceAfterUnits'])
  return line(
    at === 0 ? 'ledger' : '',
    words([text(entry['id']), spaced(text(entry['kind'])), `${text(entry['source'])} now ${after}`], ' · '),
    amounts,
  )
}

function emitterLine(emitter: Row, at: number): Line {
  const facts = Object.values(emitter).filter(
    (value) => typeof value === 'string' || typeof value === 'number',
  )
  return line(at === 0 ? 'emitters' : '', facts.join(' · '))
}

function line(phase: string, said: string, amountText = ''): Line {
  return { phase, words: harmless(said), money: amountText }
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

function words(parts: readonly string[], between: string): string {
  return parts.filter((part) => part !== '').join(between)
}

function money(value: unknown): string {
  const micros = text(value)
  return micros === '' ? '' : moneyText(micros)
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function quoted(name: string): string {
  return name && `“${name}”`
}

function row(value: unknown): Row | null {
  return isRow(value) ? value : null
}

function rows(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter(isRow) : []
}
