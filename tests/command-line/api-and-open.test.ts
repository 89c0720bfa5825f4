import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  commandLine,
  fetchOf,
  type CommandLine,
  type TerminalOptions,
} from '../support/run-command-line-in-process.ts'
import { openControl, ready, type Control } from '../support/control-plane-without-socket.ts'

let control: Control
let shell: CommandLine
beforeEach(async () => {
  control = await openControl()
  await ready(control)
  shell = commandLine({
    fetch: fetchOf(control),
    env: { TOLLGATE_BASE_URL: 'http://control.test', TOLLGATE_TOKEN: control.token },
  })
})
afterEach(async () => {
  shell.close()
  await control.close()
})

describe('tollgate api', () => {
  it('tollgate api prints the response, byte for byte if the output is piped', async () => {
    const ran = await shell.run(['api', 'get', '/v1/models?limit=1'])
    const { text } = await control.call('GET', '/v1/models?limit=1')
    expect(ran).toEqual({ exitCode: 0, out: `${text}\n`, err: '' })
    const onTerminal = await shell.run(['api', 'GET', '/v1/models?limit=1'], { columns: 80 })
    expect(onTerminal.out).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`)
  })

  it('tollgate api sends a body from the command line, a file or standard input, with the application and the mode', async () => {
    const sent: string[] = []
    const watched: typeof fetch = (url, init) => {
      const headers = new Headers(init?.headers)
      sent.push(`${headers.get('x-svc-app')} ${headers.get('x-svc-mode')} ${headers.has('idempotency-key')}`)
      return fetchOf(control)(url, init)
    }
    const file = join(shell.home, 'free.json')
    writeFileSync(file, '{"displayName":"Of a file"}')
    const ofPowerShell = join(shell.home, 'utf-16.json')
    writeFileSync(ofPowerShell, '\ufeff{"displayName":"Of Windows"}\r\n', 'utf16le')
    const ways: readonly [data: string, more: TerminalOptions][] = [
      ['{"displayName":"Of the line"}', {}],
      [`@${file}`, {}],
      [`@${ofPowerShell}`, {}],
      ['-', { input: '{"displayName":"Of standard input"}' }],
    ]
    const names: unknown[] = []
    for (const [data, more] of ways) {
      const argv = ['api', 'PATCH', '/v1/bundles/free', '--data', data, '--app', 'acme', '--mode', 'test']
      // oxlint-disable-next-line no-await-in-loop -- each command needs the data of the command before
      const { err, exitCode, out } = await shell.run(argv, { ...more, fetch: watched })
      expect([exitCode, err]).toEqual([0, ''])
      names.push(JSON.parse(out).displayName)
    }
    expect(names).toEqual(['Of the line', 'Of a file', 'Of Windows', 'Of standard input'])
    expect(sent).toEqual(Array(4).fill('acme test true'))
  })

  it('with --include, tollgate api also prints status and headers', async () => {
    const { out } = await shell.run(['api', 'GET', '/v1/bundles/free', '-i'])
    const [head = '', body = ''] = out.split('\n\n')
    expect(head).toMatch(/^200\n/)
    expect(head).toMatch(/^etag: ".+"$/m)
    expect(JSON.parse(body).slug).toBe('free')
  })

  it('tollgate api reports a rejection like any other command', async () => {
    const ran = await shell.run(['api', 'GET', '/v1/keys/key_nobody', '--json'])
    expect(ran).toMatchObject({ exitCode: 3, out: '' })
    expect(JSON.parse(ran.err).error.code).toBe('not_found')
  })

  it.each([
    [['BREW', '/v1/keys'], 'The method must be one of GET, PUT, POST, PATCH, DELETE, but is BREW.'],
    [['GET', 'v1/keys'], 'The path must begin with /, like /v1/keys, but is v1/keys.'],
    [['POST', '/v1/keys', '--data', '{'], '--data is not valid JSON: '],
    [['POST', '/v1/keys', '--data', '[]'], '--data must be a JSON object'],
    [['POST', '/v1/keys', '--data', '@none.json'], 'none.json cannot be read'],
  ])('tollgate api sends nothing if its arguments are invalid: %j', async (words, sentence) => {
    const ran = await shell.run(['api', ...words], { fetch: () => Promise.reject(new Error('it was sent')) })
    expect(ran).toMatchObject({ exitCode: 2, out: '' })
    expect(ran.err).toContain(sentence)
  })

  it('if a file or standard input is not valid JSON, the error names it', async () => {
    const file = join(shell.home, 'broken.json')
    writeFileSync(file, '{')
    const told = async (data: string): Promise<string> =>
      (await shell.run(['api', 'POST', '/v1/keys', '--data', data], { input: '[]' })).err
    expect(await told(`@${file}`)).toContain(`${file} is not valid JSON: `)
    expect(await told('-')).toContain('Standard input must be a JSON object')
  })

  it('tollgate api sends the token only to its host, for any path', async () => {
    const asked: string[] = []
    const send: typeof fetch = async (url): Promise<Response> => {
      asked.push(new URL(url instanceof Request ? url.url : url).host)
      return Response.json({})
    }
    for (const path of ['//evil.test/v1/keys', '/@evil.test', '/\\evil.test', '/v1/{host}']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await shell.run(['api', 'GET', path], { fetch: send })).toMatchObject({ exitCode: 0 })
    }
    expect(asked).toEqual(Array(4).fill('control.test'))
  })
})

describe('tollgate open', () => {
  it.each([
    ['reference', 'http://control.test/reference'],
    ['openapi', 'http://control.test/v1/openapi.json'],
    ['device', 'http://control.test/device'],
    ['gateway', 'http://127.0.0.1:8101'],
  ])(
    'tollgate open %s prints the address of the page, and opens the page only on a terminal',
    async (page, url) => {
      const opened: string[] = []
      expect(await shell.run(['open', page], { opened })).toEqual({ exitCode: 0, out: `${url}\n`, err: '' })
      expect(opened).toEqual([])
      expect((await shell.run(['open', page], { opened, columns: 80 })).err).toBe('')
      expect(opened).toEqual([url])
    },
  )

  it('tollgate open reports that no browser is available', async () => {
    const ran = await shell.run(['open'], { columns: 80 })
    expect(ran).toEqual({
      exitCode: 0,
      out: 'http://control.test/reference\n',
      err: 'No browser is available on this device.\n',
    })
  })

  it('tollgate open lists the pages if the requested page does not exist', async () => {
    const ran = await shell.run(['open', 'sesame'])
    expect(ran).toMatchObject({ exitCode: 2, out: '' })
    expect(ran.err).toContain(
      'There is no page sesame. The pages are console, reference, openapi, device, portal, gateway.',
    )
  })
})
