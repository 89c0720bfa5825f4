/**
 * Engines return all integers as bigint: `node:sqlite` because of a setting, PostgreSQL as int8. Money stays bigint.
 * Other integers become numbers, and an integer above 2^53 is a fault.
 */
import assert from 'node:assert/strict'
import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely'

const moneyNames = new Set([
  'amount',
  'balance_after',
  'posted',
  'held',
  'given',
  'granted',
  'member_cap',
  'withheld',
  'expired',
  'worst_credits',
])

/** Decides by the name of the column, so a sum counts as money if its name ends in `_micros`. */
export function isMoneyColumn(name: string): boolean {
  return name.endsWith('_micros') || name === 'micros' || moneyNames.has(name)
}

export const moneyColumnsPlugin: KyselyPlugin = {
  transformQuery(args: PluginTransformQueryArgs): RootOperationNode {
    return args.node
  },
  async transformResult(args: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    for (const row of args.result.rows) readRow(row)
    return args.result
  },
}

function readRow(row: UnknownRow): void {
  for (const name in row) {
    const value = row[name]
    if (typeof value !== 'bigint' || isMoneyColumn(name)) continue
    const number = Number(value)
    assert(Number.isSafeInteger(number), `column ${name} holds an integer past 2^53`)
    row[name] = number
  }
}
