import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { command, control, framesOf, run } from '../support/start-product.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'

/** The simulator's documented price, which applies if the application sets none. */
const rates = { input: 1_000_000n, output: 4_000_000n }

interface Started {
  readonly child: ChildProcess
  readonly text: string
}

let folder: string
let first: Started
const children: ChildProcess[] = []

beforeAll(async () => {
  folder = newDataFolder('e2e')
  first = await start()
})
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

async function start(): Promise<Started> {
  const child = spawn(command, ['start', '--port', '0', '--data', folder], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let text = ''
  let errors = ''
  child.stderr.on('data', (piece) => (errors += String(piece)))
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (piece) => {
      text += String(piece)
      if (text.includes('Stop with')) resolve({ child, text })
    })
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${text}${errors}`)))
  })
}

async function stop({ child }: Started): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
}

function printed(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`${pattern} is not in: ${text}`)
  return found
}

const receipt = (name: string): bigint => BigInt(printed(first.text, new RegExp(`${name}\\s+(\\d+) micros`)))

function curlLines(text: string): string[] {
  return [...text.matchAll(/^ {2}curl (?:.*\\\n)*.*$/gm)].map(([line]) => line)
}

describe('the first start', () => {
  test('the first start prints a receipt with the amounts of a real call', async () => {
    const input = Number(printed(first.text, /tokens\s+(\d+) in/))
    const output = Number(printed(first.text, /in, (\d+) out/))
    const charge = receipt('charged')
    expect(charge).toBe(costMicros(rates, { input, output }))
    expect(charge).toBeGreaterThan(0n)
    expect(receipt('held')).toBeGreaterThanOrEqual(charge)
    expect(receipt('balance before') - charge).toBe(receipt('balance after'))
    const dollars = printed(first.text, /charged\s+\d+ micros\s+\$([\d.]+)/)
    expect(BigInt(dollars.replace('.', ''))).toBe(charge)

    const baseUrl = printed(first.text, /running at (http\S+)/)
    const token = printed(first.text, /token\s+(sk_\S+)/)
    const request = printed(first.text, /request\s+(req_\S+)/)
    const explained = await control({ baseUrl, token }, 'GET', `/v1/requests/${request}`, undefined, {
      'x-svc-mode': 'test',
    })
    expect(explained.body).toMatchObject({
      status: 'settled',
      settle: { chargeMicros: String(charge) },
      reserve: { worstMicros: String(receipt('held')) },
      usage: { input, output },
      ledger: [{ amountUnits: String(-charge), balanceAfterUnits: String(receipt('balance after')) }],
    })
    // The link for the first owner opens the console in the mode of the request that the receipt shows.
    expect(printed(first.text, /(http\S+\/setup\S+)/)).toMatch(/\/setup\?mode=test#/)
  })

  test('the first start prints commands that work unchanged', async () => {
    const [call = '', why = '', ledger = '', ...others] = curlLines(first.text)
    expect(others).toEqual([])
    const answered = await run('sh', ['-c', call])
    expect(answered.code, answered.stderr).toBe(0)
    const frames = framesOf(answered.stdout)
    expect(frames.length).toBeGreaterThan(3)
    expect(frames.at(-1)).toBe('[DONE]')

    const explained = await run('sh', ['-c', why])
    expect(JSON.parse(explained.stdout)).toMatchObject({
      status: 'settled',
      chargeMicros: String(receipt('charged')),
    })

    const listed = await run('sh', ['-c', ledger])
    const { data } = JSON.parse(listed.stdout)
    // The ledger contains, newest first, the pasted call, the receipt's call, and the grant.
    expect(data.map(({ kind }: { kind: string }) => kind)).toEqual(['usage_debit', 'usage_debit', 'grant'])
    expect(data[1]).toMatchObject({
      amountUnits: String(-receipt('charged')),
      balanceAfterUnits: String(receipt('balance after')),
    })
  })

  test('the README shows the amounts that the receipt shows', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')
    const amounts = first.text.match(/^ {2}(?:balance|held|charged).*$/gm)
    expect(amounts).toHaveLength(4)
    expect(readme).toContain(amounts?.join('\n'))
  })

  test('verify finds no error in the data of the first start, while the server runs', async () => {
    const { code, stdout } = await run(command, ['verify', '--data', folder])
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('All checks passed.')
  })
})

describe('the second start', () => {
  test('the second start prints the addresses and no secret, and changes nothing', async () => {
    await stop(first)
    const before = contents(folder)
    const second = await start()
    const text = second.text
    expect(text).toMatch(/Tollgate is running at http:\/\/localhost:\d+/)
    expect(text).toMatch(/my-app\s+http:\/\/127\.0\.0\.1:\d+/)
    expect(text).not.toMatch(/\b[as]k_[a-z0-9]+_/)
    await stop(second)
    expect(contents(folder)).toEqual(before)
  })
})

/** Excludes the row of the process that wrote last, and the row with the process's ports. */
function contents(dataFolder: string): Readonly<Record<string, unknown[]>> {
  const database = new DatabaseSync(join(dataFolder, 'tollgate.db'), { readOnly: true })
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all()
  const rows: Record<string, unknown[]> = {}
  for (const { name } of tables) {
    if (name === 'epochs' || typeof name !== 'string') continue
    const statement = database.prepare(`SELECT * FROM "${name}"`)
    statement.setReadBigInts(true)
    rows[name] = statement.all().map((row) => ({ ...row, gateway_port: null, portal_port: null }))
  }
  database.close()
  return rows
}

describe('verify', () => {
  /** The regular expression matches what verify must report. */
  const damages = [
    ['a balance', 'UPDATE sources SET posted = posted + 1', /wallet of eu_\w+ \(test\): posted \d+/],
    ['a hold on a source', 'UPDATE sources SET held = held + 1', /wallet of eu_\w+ \(test\): held 1/],
    ['an entry', 'UPDATE ledger SET amount = amount - 1 WHERE sequence = 2', /entry 2: balance \d+/],
    ['a deleted entry', 'DELETE FROM ledger WHERE sequence = 2', /entry 3: balance \d+ after -\d+ on 0/],
    ['a charge', 'UPDATE usage_records SET charge_micros = charge_micros + 1', /of eu_\w+ on day \d+/],
    [
      'a count of tokens',
      `UPDATE usage_records SET usage = json_set(usage, '$.output', usage ->> 'output' + 1)`,
      /call \w+: cost \d+/,
    ],
    ['a sum of a day', 'UPDATE usage_days SET charge_micros = charge_micros - 1', /of eu_\w+ on day \d+/],
  ] as const

  // tests/store/faults-found-by-verify.test.ts tests every check of verify. This file tests only some of the checks,
  // because each check starts a process.
  test.each(sampleOfCases(damages, 3))(
    'verify reports the damage in %s, and exits with 1',
    async (_, damage, named) => {
      const copy = newDataFolder('e2e')
      cpSync(folder, copy, { recursive: true })
      const database = new DatabaseSync(join(copy, 'tollgate.db'))
      // Drops the triggers of the database, because damage to a file bypasses them.
      for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all())
        database.exec(`DROP TRIGGER "${String(name)}"`)
      expect(database.prepare(damage).run().changes).toBeGreaterThan(0)
      database.close()
      const { code, stdout } = await run(command, ['verify', '--data', copy])
      expect(code, stdout).toBe(1)
      expect(stdout).toMatch(/^WRONG {2}.+\n {7}\S.+/m)
      expect(stdout).toMatch(named)
      expect(stdout).not.toContain('All checks passed.')
      rmSync(copy, { recursive: true })
    },
  )

  test('verify exits with 2 if no store exists', async () => {
    const { code, stderr } = await run(command, ['verify', '--data', join(folder, 'no-such-folder')])
    expect(code).toBe(2)
    expect(stderr).toMatch(/the data folder \S+ does not exist/)
  })
})
