import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { objectOf, parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { wireNames, type WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { prepareConversion, type Conversion } from '#convert/prepare-conversion.ts'
import type { NeutralRequest } from '#convert/neutral-format.ts'
import { readBody } from '#tests/fixtures/requests-for-messages-wire-tests.ts'
import { codecs } from '#convert/table-of-codecs.ts'
import { anyCharacter } from '#tests/support/any-character.ts'

const hello = { role: 'user', content: 'hello' }
const next = { role: 'user', content: 'go on' }

function read(body: object): NeutralRequest {
  const request = readBody(body)
  if (typeof request === 'string') throw new Error(request)
  return request
}

/** The blocks become the assistant's turn. */
function turnOf(...content: object[]): NeutralRequest {
  return read({ messages: [hello, { role: 'assistant', content }, next] })
}

function textsOf({ turns }: NeutralRequest): readonly string[] {
  return turns
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ parts }) => parts.map((part) => (part.kind === 'text' ? part.text : part.kind)))
}

const id = 'srvtoolu_1'
const use = (name: string, input: object): object => ({ type: 'server_tool_use', id, name, input })
const result = (type: string, content: unknown): object => ({ type, tool_use_id: id, content })
const answer = { type: 'text', text: 'It is sunny.' }

describe('tools that the provider ran, in the history of a messages request', () => {
  it('a web search becomes text with its query and the titles and addresses that it found', () => {
    const found = [
      { type: 'web_search_result', title: 'Weather', url: 'https://w.example', encrypted_content: 'E' },
      { type: 'web_search_result', title: null, url: 'https://x.example', encrypted_content: 'E' },
    ]
    const request = turnOf(
      use('web_search', { query: 'weather' }),
      result('web_search_tool_result', found),
      answer,
    )
    expect(textsOf(request)).toEqual([
      '```\nweb_search {"query":"weather"}\n```',
      '```\nWeather\nhttps://w.example\nhttps://x.example\n```',
      'It is sunny.',
    ])
    expect(request.others).toEqual([
      'messages.content.server_tool_use',
      'messages.content.web_search_tool_result',
    ])
  })

  it('a fetched page becomes its address, its title and its text', () => {
    const source = { type: 'text', media_type: 'text/plain', data: 'Page text' }
    const page = {
      type: 'web_fetch_result',
      url: 'https://p.example',
      content: { type: 'document', title: 'P', source },
    }
    const request = turnOf(
      use('web_fetch', { url: 'https://p.example' }),
      result('web_fetch_tool_result', page),
    )
    expect(textsOf(request)[1]).toBe('```\nhttps://p.example\nP\nPage text\n```')
  })

  it('advice of another model becomes text, and encrypted advice is rejected', () => {
    const advice = { type: 'advisor_result', text: 'Use a queue.' }
    const failed = { type: 'advisor_tool_result_error', error_code: 'overloaded' }
    const request = turnOf(use('advisor', {}), result('advisor_tool_result', advice), answer)
    expect(textsOf(request)).toEqual(['```\nadvisor {}\n```', '```\nUse a queue.\n```', 'It is sunny.'])
    expect(request.others).toContain('messages.content.advisor_tool_result')
    expect(textsOf(turnOf(result('advisor_tool_result', failed)))).toEqual(['```\noverloaded\n```'])
    const sealed = { type: 'advisor_redacted_result', encrypted_content: 'E' }
    const content = [result('advisor_tool_result', sealed)]
    expect(readBody({ messages: [hello, { role: 'assistant', content }, next] })).toMatch(
      /^unsupported_for_route messages\.1\.content\.0/,
    )
  })

  it('the tools of an MCP server, and the place at which another model continued, are omitted and reported', () => {
    const listing = { type: 'mcp_tool_listing', mcp_server_name: 's', tools: [{ name: 'f' }] }
    const fallback = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }
    const request = turnOf(listing, { type: 'text', text: 'So' }, fallback, answer)
    expect(textsOf(request)).toEqual(['So', 'It is sunny.'])
    expect(request.others).toEqual(['messages.content.mcp_tool_listing', 'messages.content.fallback'])
  })

  it('a fetched PDF is rejected with the position of its block', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }
    const page = { type: 'web_fetch_result', url: 'https://p.example', content: { type: 'document', source } }
    const body = {
      messages: [hello, { role: 'assistant', content: [result('web_fetch_tool_result', page)] }, next],
    }
    expect(readBody(body)).toMatch(/^unsupported_for_route messages\.1\.content\.0/)
  })

  it.each([
    [
      'code',
      { code: 'print(1)' },
      'code_execution_tool_result',
      { type: 'code_execution_result', stdout: '1\n', stderr: '', return_code: 0 },
      'print(1)',
      '1\n',
    ],
    [
      'a command',
      { command: 'ls' },
      'bash_code_execution_tool_result',
      { type: 'bash_code_execution_result', stdout: 'a', stderr: 'b', return_code: 1 },
      'ls',
      'a\nb',
    ],
    [
      'an edit',
      { command: 'view', path: 'f' },
      'text_editor_code_execution_tool_result',
      { type: 'text_editor_code_execution_view_result', file_type: 'text', content: 'file' },
      'text_editor_code_execution {"command":"view","path":"f"}',
      'file',
    ],
    [
      'a failure',
      { code: 'x' },
      'code_execution_tool_result',
      { type: 'code_execution_tool_result_error', error_code: 'unavailable' },
      'x',
      'unavailable',
    ],
  ])(
    '%s that the provider ran becomes text, with its output',
    (_what, input, type, content, call, output) => {
      const name = type.replace('_tool_result', '')
      expect(textsOf(turnOf(use(name, input), result(type, content)))).toEqual([
        `\`\`\`\n${call}\n\`\`\``,
        `\`\`\`\n${output}\n\`\`\``,
      ])
    },
  )

  it('encrypted output of code is rejected, because only Anthropic can read it', () => {
    const content = {
      type: 'encrypted_code_execution_result',
      encrypted_stdout: 'E',
      stderr: '',
      return_code: 0,
    }
    const block = result('code_execution_tool_result', content)
    expect(readBody({ messages: [hello, { role: 'assistant', content: [block] }, next] })).toMatch(
      /^unsupported_for_route messages\.1\.content\.0/,
    )
  })

  it('a call of an MCP server and its result become text', () => {
    const request = turnOf(
      { type: 'mcp_tool_use', id, name: 'ask', server_name: 'wiki', input: { q: 'x' } },
      {
        type: 'mcp_tool_result',
        tool_use_id: id,
        is_error: false,
        content: [{ type: 'text', text: 'found' }],
      },
    )
    expect(textsOf(request)).toEqual(['```\nask {"q":"x"}\n```', '```\nfound\n```'])
  })

  it('a block with the type `toString`, which every object has as a member, is rejected as unknown', () => {
    const body = { messages: [hello, { role: 'assistant', content: [{ type: 'toString' }] }, next] }
    expect(readBody(body)).toBe('unsupported_for_route messages.1.content.0')
  })

  it('a block of a tool that the provider ran never becomes longer as text, so the hold covers the text', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 20 })
    const blocks = fc.oneof(
      fc.record({ name: text, input: fc.jsonValue() }).map(({ name, input }) => use(name, { input })),
      fc.record({ code: text }).map((input) => use('code_execution', input)),
      fc
        .array(fc.record({ title: text, url: text }), { maxLength: 3 })
        .map((found) => result('web_search_tool_result', found)),
      fc
        .record({ stdout: text, stderr: text, return_code: fc.integer() })
        .map((output) => result('code_execution_tool_result', output)),
      fc.array(text).map((texts) =>
        result(
          'mcp_tool_result',
          texts.map((one) => ({ type: 'text', text: one })),
        ),
      ),
      text.map((content) => ({ type: 'compaction', content })),
    )
    fc.assert(
      fc.property(blocks, (block) => {
        const { turns } = turnOf(block, answer)
        const written = turns.flatMap(({ parts }) =>
          parts.map((part) => (part.kind === 'text' ? part.text : '')),
        )
        const others = hello.content.length + next.content.length + answer.text.length
        expect(Buffer.byteLength(written.join(''))).toBeLessThanOrEqual(
          Buffer.byteLength(JSON.stringify(block)) + others,
        )
      }),
    )
  })

  it('a search for tools is omitted, because a provider of another wire gets the definitions of all tools', () => {
    const content = {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'f' }],
    }
    const request = turnOf(
      use('tool_search_tool_bm25', { query: 'f' }),
      result('tool_search_tool_result', content),
      answer,
    )
    expect(textsOf(request)).toEqual(['It is sunny.'])
    expect(request.others).toContain('messages.content.tool_search_tool_result')
  })

  it('a summary by the provider replaces the turns before the summary, as at Anthropic', () => {
    const request = read({
      messages: [
        hello,
        { role: 'assistant', content: [{ type: 'compaction', content: 'The user said hello.' }, answer] },
        next,
      ],
    })
    expect(request.turns.map(({ role, parts }) => [role, ...parts])).toEqual([
      ['user', { kind: 'text', text: '<summary>\nThe user said hello.\n</summary>', cache: null }],
      ['assistant', { kind: 'text', text: 'It is sunny.', cache: null }],
      ['user', { kind: 'text', text: 'go on', cache: null }],
    ])
    expect(request.others).toContain('messages.content.compaction')
  })

  it('a failed compaction, which has no summary, changes nothing', () => {
    const request = turnOf({ type: 'compaction', content: null }, answer)
    expect(request.turns).toHaveLength(3)
    expect(textsOf(request)).toEqual(['It is sunny.'])
  })

  it('if tools are added and removed during a conversation, the request has the tools that exist at the end', () => {
    const tool = (name: string): object => ({ name, input_schema: { type: 'object' } })
    const change = (type: string, named: object): object => ({
      role: 'system',
      content: [{ type, tool: named }],
    })
    const named = (name: string): object => ({ type: 'tool_reference', name })
    const request = read({
      tools: [tool('a'), tool('b'), tool('c')],
      messages: [
        hello,
        change('tool_removal', named('a')),
        change('tool_removal', named('b')),
        change('tool_addition', named('b')),
        change('tool_addition', { type: 'tool_definition', definition: tool('d') }),
      ],
    })
    expect(request.tools.map(({ name }) => name)).toEqual(['b', 'c', 'd'])
    expect(request.turns).toHaveLength(1)
    expect(request.others).toEqual(['messages.content.tool_removal', 'messages.content.tool_addition'])
  })

  it.each(wireNames.filter((wire) => wire !== 'messages'))(
    'a history with tools that the provider ran converts to %s, whose own parser accepts the result',
    (to) => {
      const body = {
        model: 'm',
        max_tokens: 9,
        messages: [
          hello,
          {
            role: 'assistant',
            content: [
              use('web_search', { query: 'q' }),
              result('web_search_tool_result', [
                { type: 'web_search_result', title: 'T', url: 'https://u.example' },
              ]),
              answer,
            ],
          },
          next,
        ],
      }
      const written = bodyAt(to, body)
      const path = { model: 'm', isStream: false, isJsonArray: false }
      const parsed = wires[to].parseRequest(byteTextOf(JSON.stringify(written)), path)
      if (isFault(parsed)) throw new Error(`${parsed.param}: ${parsed.reason}`)
      const again = codecs[to].readRequest(parsed)
      if (isFault(again)) throw new Error(again.reason)
      expect(textsOf(again).join('')).toContain('https://u.example')
    },
  )
})

function bodyAt(wire: WireName, body: JsonObject): JsonObject {
  const path = { model: null, isStream: false, isJsonArray: false }
  const request = wires.messages.parseRequest(byteTextOf(JSON.stringify(body)), path)
  if (isFault(request)) throw new Error(request.reason)
  const conversion = prepareConversion(request, { wire, model: 'm', origin: 'o', dialect: 'openai' })
  if (isFault(conversion)) throw new Error(conversion.reason)
  const whole: Conversion = conversion
  const text = textOf(whole.body({ outputTokensMax: 9, outputTokensDefault: 99 }))
  return { ...objectOf(parseObject(text)), ...((wire === 'chat' || wire === 'responses') && { model: 'm' }) }
}
