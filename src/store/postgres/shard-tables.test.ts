import { describe, expect, test } from 'vitest'
import { ShardTables } from './shard-tables.ts'

const tables = new ShardTables(
  107n,
  new Map([
    ['holds', 'holds_104'],
    ['usage_days', 'usage_days_106'],
    ['grants', 'grants_9'],
    ['usage_fold', 'usage_fold_8'],
  ]),
)
const at = (text: string): string => tables.at({ name: 'test', text, values: [1] }).text

describe('the tables of a shard', () => {
  test('a statement reads and writes the tables of the shard', () => {
    expect(at('SELECT h.holds FROM w JOIN holds h ON true')).toBe(
      'SELECT h.holds FROM w JOIN holds_104 h ON true',
    )
    expect(at('DELETE FROM holds h USING w')).toBe('DELETE FROM holds_104 h USING w')
    expect(at('UPDATE holds SET bound = 1')).toBe('UPDATE holds_104 SET bound = 1')
  })

  test('an INSERT keeps the name of the table as an alias of the shard, because ON CONFLICT uses that name', () => {
    const added = (table: string) =>
      `INSERT INTO ${table} (calls) SELECT 1 ON CONFLICT (day) DO UPDATE SET calls = usage_days.calls + 1`
    expect(at(added('usage_days'))).toBe(added('usage_days_106 AS usage_days'))
  })

  test('a table with a copy on each node is read from the copy of the connected node, and written to all copies', () => {
    expect(at('SELECT (SELECT through_day FROM usage_fold)')).toBe(
      'SELECT (SELECT through_day FROM usage_fold_8)',
    )
    for (const written of ['UPDATE grants t SET done = 1', 'INSERT INTO grants (id) SELECT 1'])
      expect(at(written)).toBe(written)
  })

  test('a statement that uses no table of the shard is returned unchanged, as the same object', () => {
    const commit = { name: 'commit', text: 'COMMIT', values: [] }
    expect(tables.at(commit)).toBe(commit)
    expect(tables.hold).toEqual({ name: 'hold_shard', text: 'SELECT hold_shard($1)', values: [107n] })
  })
})
