/** `tollgate usage --by day|name|user`: shows usage as bars. */
import { Api } from '#cli/api-client.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { barsText, type Bar } from '#cli/output/bar-chart-of-amounts.ts'
import { timeOf } from '#cli/operations/flag-value.ts'
import { moneyText } from '#cli/output/dollars-and-micros.ts'
import { withProgress } from '#cli/output/progress-indicator.ts'
import { harmless } from '#cli/output/text-width.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { exit, usageError, type Terminal } from '#cli/terminal-interface.ts'

interface UsageFlags extends CommonFlags {
  readonly by: string
  readonly from?: string
  readonly to?: string
  readonly endUserId?: string
}

interface Sums {
  readonly calls: number
  readonly billedMicros: string
}

interface Usage {
  readonly rows: readonly (Sums & { requestedModel: string; inputTokens: number; outputTokens: number })[]
  readonly totals: Sums & { inputTokens: number; outputTokens: number }
}

interface Margin {
  readonly data: readonly (Sums & { day?: string; endUserId?: string })[]
  readonly nextCursor: string | null
  readonly totals: Sums
  readonly from: string
  readonly to: string
}

export async function usage(flags: UsageFlags, terminal: Terminal): Promise<number> {
  const api = new Api(settingsOf(flags, terminal), terminal)
  const now = terminal.clock.now()
  const span = {
    ...(flags.from !== undefined && { from: timeOf('--from', flags.from, now) }),
    ...(flags.to !== undefined && { to: timeOf('--to', flags.to, now) }),
  }
  if (flags.by === 'name')
    return byName(
      await api.call<Usage>('usage', {
        ...span,
        ...(flags.endUserId !== undefined && { endUserId: flags.endUserId }),
      }),
      flags,
      terminal,
    )
  if (flags.by !== 'day' && flags.by !== 'user')
    throw usageError(`--by must be day, name or user, but is ${flags.by}.`)
  if (flags.endUserId !== undefined) throw usageError('--end-user-id requires --by name.')
  const by = flags.by === 'day' ? 'day' : 'endUser'
  return byMargin(by, await allOf(api, by, span, terminal), flags, terminal)
}

async function allOf(api: Api, by: 'day' | 'endUser', span: object, terminal: Terminal): Promise<Margin> {
  return withProgress(terminal, 'usage', async ({ say }) => {
    const ask = (cursor: string | null): Promise<Margin> =>
      api.call<Margin>('margin', { by, limit: 200, ...span, ...(cursor !== null && { cursor }) })
    let page = await ask(null)
    const data = [...page.data]
    while (page.nextCursor !== null) {
      page = await ask(page.nextCursor)
      data.push(...page.data)
      say(`usage: ${data.length} rows`)
    }
    return { ...page, data }
  })
}

function byName(answer: Usage, flags: UsageFlags, { err, out }: Terminal): number {
  if (flags.json === true) {
    out.write(`${JSON.stringify(answer)}\n`)
    return exit.ok
  }
  if (answer.rows.length === 0) {
    err.write('No usage in this period. To choose the mode, set --mode test or --mode live.\n')
    return exit.ok
  }
  const bars = answer.rows.map(({ requestedModel, ...sums }) => barOf(requestedModel, sums))
  out.write(barsText(['MODEL', 'REQUESTS', 'TOKENS IN', 'TOKENS OUT', 'BILLED'], sorted(bars), out))
  out.write(
    `\n${totalText(answer.totals)}, ${number(answer.totals.inputTokens)} tokens in, ${number(answer.totals.outputTokens)} tokens out\n`,
  )
  return exit.ok
}

function barOf(name: string, sums: Sums & { inputTokens: number; outputTokens: number }): Bar {
  const { billedMicros, calls, inputTokens, outputTokens } = sums
  return {
    name: harmless(name),
    amount: BigInt(billedMicros),
    cells: [number(calls), number(inputTokens), number(outputTokens), moneyText(billedMicros)],
  }
}

function byMargin(by: 'day' | 'endUser', answer: Margin, flags: UsageFlags, { err, out }: Terminal): number {
  if (flags.json === true) {
    out.write(`${JSON.stringify(answer)}\n`)
    return exit.ok
  }
  const { data, from, to, totals } = answer
  if (data.length === 0) {
    err.write(`No usage from ${from} to ${to}. To choose the mode, set --mode test or --mode live.\n`)
    return exit.ok
  }
  const bars = data.map(({ billedMicros, calls, day, endUserId }): Bar => ({
    name: harmless(day ?? endUserId ?? ''),
    amount: BigInt(billedMicros),
    cells: [number(calls), moneyText(billedMicros)],
  }))
  const inOrder = by === 'day' ? bars.toReversed() : sorted(bars)
  out.write(barsText([by === 'day' ? 'DAY' : 'END USER', 'REQUESTS', 'BILLED'], inOrder, out))
  out.write(`\n${totalText(totals)}, from ${from} to ${to}\n`)
  return exit.ok
}

function totalText({ billedMicros, calls }: Sums): string {
  return `${moneyText(billedMicros)} for ${number(calls)} ${calls === 1 ? 'request' : 'requests'}`
}

function sorted(bars: readonly Bar[]): Bar[] {
  return bars.toSorted(
    (one, other) => Number(other.amount - one.amount > 0n) - Number(other.amount - one.amount < 0n),
  )
}

function number(count: number): string {
  return count.toLocaleString('en-US')
}
