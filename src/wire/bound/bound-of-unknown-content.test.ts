import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import {
  isFault,
  upstreamBody,
  type RequestFault,
  type RequestPath,
  type WireRequest,
} from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'

const path: RequestPath = { model: 'm', isStream: false, isJsonArray: false }

function bodyWith(wire: WireName, content: unknown): object {
  const turn = { role: 'assistant', content: [content] }
  if (wire === 'generate') return { contents: [{ role: 'model', parts: [content] }] }
  if (wire === 'responses') return { model: 'm', input: [content] }
  return { model: 'm', messages: [turn], ...(wire === 'messages' && { max_tokens: 5 }) }
}

function parse(wire: WireName, body: object): WireRequest | RequestFault {
  return wires[wire].parseRequest(byteTextOf(JSON.stringify(body)), path)
}

/** Returns the parsed request, which must be accepted and sent unchanged. */
function accepted(wire: WireName, content: unknown, more: object = {}): WireRequest {
  const body = { ...bodyWith(wire, content), ...more }
  const request = parse(wire, body)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  const sent = JSON.parse(textOf(upstreamBody(request, 'm', null)))
  expect(sent).toMatchObject(body)
  return request
}

function reason(wire: WireName, content: unknown): string {
  const fault = parse(wire, bodyWith(wire, content))
  if (!isFault(fault)) throw new Error('it was accepted')
  expect(fault.code).toBe('unsupported_for_route')
  return fault.reason
}

// A text without letters, because words and common letter pairs have fewer tokens than bytes.
const long = '0123456789 '.repeat(200)
const base64 = 'JVBERi0x'.repeat(2_000)

/** Content from recordings or from vendors' documentation. Each example contains the text `long`. */
const history: readonly (readonly [name: string, wire: WireName, content: object])[] = [
  [
    'Mistral’s thinking',
    'chat',
    { type: 'thinking', thinking: [{ type: 'text', text: long }], closed: true },
  ],
  ['Mistral’s references', 'chat', { type: 'reference', reference_ids: [1, 2], quote: long }],
  ['content of a future type', 'chat', { type: 'novel', words: [{ said: long }] }],
  [
    'a search by the provider',
    'messages',
    {
      type: 'server_tool_use',
      id: 'srvtoolu_1',
      name: 'web_fetch',
      input: { url: 'https://x.example', why: long },
    },
  ],
  [
    'results of a search',
    'messages',
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: [{ type: 'web_search_result', url: 'https://x.example', title: 'x', encrypted_content: long }],
    },
  ],
  [
    'results of code',
    'messages',
    {
      type: 'code_execution_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'code_execution_result',
        stdout: long,
        stderr: '',
        return_code: 0,
        content: [{ type: 'code_execution_output', file_id: 'file_1' }],
      },
    },
  ],
  [
    'a fetched page',
    'messages',
    {
      type: 'web_fetch_tool_result',
      tool_use_id: 'srvtoolu_1',
      content: {
        type: 'web_fetch_result',
        url: 'https://x.example',
        content: { type: 'document', source: { type: 'text', media_type: 'text/plain', data: long } },
      },
    },
  ],
  [
    'a call through MCP',
    'messages',
    { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'x', server_name: 's', input: { q: long } },
  ],
  [
    'a result through MCP',
    'messages',
    {
      type: 'mcp_tool_result',
      tool_use_id: 'mcptoolu_1',
      is_error: false,
      content: [{ type: 'text', text: long }],
    },
  ],
  ['a compaction', 'messages', { type: 'compaction', content: long }],
  [
    'a tool that joins',
    'messages',
    {
      type: 'tool_addition',
      tool: {
        type: 'tool_definition',
        definition: { name: 'x', description: long, input_schema: { type: 'object' } },
      },
    },
  ],
  [
    'a tool that leaves',
    'messages',
    { type: 'tool_removal', tool: { type: 'tool_reference', name: 'x' }, why: long },
  ],
  [
    'a web search',
    'responses',
    {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', query: long, sources: [{ type: 'url', url: 'https://x.example' }] },
    },
  ],
  [
    'a code interpreter',
    'responses',
    {
      type: 'code_interpreter_call',
      id: 'ci_1',
      container_id: 'cntr_1',
      status: 'completed',
      code: long,
      outputs: [{ type: 'logs', logs: '1' }],
    },
  ],
  [
    'a file search',
    'responses',
    {
      type: 'file_search_call',
      id: 'fs_1',
      status: 'completed',
      queries: ['x'],
      results: [{ file_id: 'file_1', filename: 'a', score: 1, text: long }],
    },
  ],
  [
    'a call of MCP',
    'responses',
    { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'x', arguments: '{}', output: long },
  ],
  [
    'tools of MCP',
    'responses',
    {
      type: 'mcp_list_tools',
      id: 'mcpl_1',
      server_label: 's',
      tools: [{ name: 'x', description: long, input_schema: {} }],
    },
  ],
  ['a sealed compaction', 'responses', { type: 'compaction', id: 'cmp_1', encrypted_content: long }],
  [
    'a call of a computer',
    'responses',
    {
      type: 'computer_call',
      id: 'cu_1',
      call_id: 'c',
      action: { type: 'type', text: long },
      pending_safety_checks: [],
      status: 'completed',
    },
  ],
  ['an item of a future type', 'responses', { type: 'novel_item', id: 'x_1', said: long }],
  [
    'a call of Google’s own tool',
    'generate',
    { toolCall: { id: '1', toolType: 'URL_CONTEXT', args: { urls: ['https://x.example'], why: long } } },
  ],
  [
    'a result of Google’s own tool',
    'generate',
    { toolResponse: { id: '1', toolType: 'GOOGLE_SEARCH_WEB', response: { text: long } } },
  ],
  ['a part of a future kind', 'generate', { novelPart: { said: long } }],
]

test.each(history)(
  '%s is sent to the provider, and counts at least one token per byte (%s)',
  (_, wire, content) => {
    expect(accepted(wire, content).textTokensMax).toBeGreaterThanOrEqual(long.length)
  },
)

test.each([
  ['document_url', 'data:application/pdf;base64,'],
  ['file_url', 'data:application/pdf;base64,'],
])('a document in the field %s has the same bound as in a part of the type `file`', (type, head) => {
  const file = accepted('chat', { type: 'file', file: { file_data: head + base64 } })
  for (const value of [head + base64, { url: head + base64 }]) {
    const request = accepted('chat', { type, [type]: value })
    expect(request.textTokensMax - file.textTokensMax).toBeLessThan(200)
    expect(request.textTokensMax).toBeGreaterThan((base64.length * 3 * 7_800) / 4 / 200)
  }
})

test('an image and a sound without a surrounding object count as media', () => {
  const image = accepted('chat', { type: 'image_url', image_url: `data:image/png;base64,${base64}` })
  expect(image.images?.any).toBe(16_000)
  expect(image.textTokensMax).toBeLessThan(1_000)
  expect(accepted('chat', { type: 'input_audio', input_audio: base64 }).audioTokensMax).toBeGreaterThan(500)
})

test('a generated image and a screenshot count as images', () => {
  const generated = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: base64 }
  const screen = {
    type: 'computer_call_output',
    call_id: 'c',
    output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${base64}` },
  }
  for (const item of [generated, screen]) {
    const request = accepted('responses', item)
    expect(request.images?.any).toBe(16_000)
    expect(request.textTokensMax).toBeLessThan(1_000)
  }
})

test('each time a conversation adds or names a tool, the whole definition of the tool counts', () => {
  const definition = { name: 'x', description: long, input_schema: { type: 'object' } }
  const joins = { type: 'tool_addition', tool: { type: 'tool_definition', definition } }
  const named = { type: 'tool_addition', tool: { type: 'tool_reference', name: 'x' } }
  const body = (content: unknown[]) => ({
    model: 'm',
    max_tokens: 5,
    messages: [{ role: 'system', content }],
  })
  const once = parse('messages', body([joins]))
  const twice = parse('messages', body([joins, named]))
  if (isFault(once) || isFault(twice)) throw new Error('refused')
  expect(once.hasTools).toBe(true)
  expect(twice.textTokensMax - once.textTokensMax).toBeGreaterThan(long.length)
})

describe('content is rejected if the provider would fetch or run it, or has stored it', () => {
  test.each<[WireName, object, RegExp]>([
    ['chat', { type: 'document_url', document_url: 's3://x.example/a.pdf' }, /document_url names/],
    ['chat', { type: 'file_url', file_url: { url: 'https://x.example/a.pdf' } }, /file_url names/],
    ['chat', { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }, /generate format/],
    ['chat', { type: 'input_video', data: 'AAAA' }, /input_video/],
    ['chat', { type: 'novel', page_url: 'https://x.example' }, /page_url/],
    ['chat', { type: 'novel', a: [{ b: { file_id: 'f' } }] }, /file_id/],
    ['chat', { type: 'novel', fileIds: ['f'] }, /fileIds/],
    ['chat', { type: 'novel', source: 'data:image/png;base64,AAAA' }, /source/],
    ['chat', { type: 'novel', source: { mime_type: 'image/png', bytes: 'AAAA' } }, /mime_type/],
    ['messages', { type: 'novel', source: { type: 'url', url: 'https://x.example' } }, /\(url\)/],
    [
      'messages',
      { type: 'tool_addition', tool: { type: 'mcp_toolset_reference', server_name: 's' } },
      /mcp_toolset_reference/,
    ],
    [
      'messages',
      {
        type: 'tool_addition',
        tool: { type: 'tool_definition', definition: { type: 'web_search_20260209', name: 'web_search' } },
      },
      /web_search_20260209/,
    ],
    ['responses', { type: 'compaction', id: 'cmp_1' }, /compaction/],
    [
      'responses',
      { type: 'image_generation_call', id: 'ig_1', status: 'completed' },
      /image that is only referenced/,
    ],
    ['responses', { type: 'novel_item', id: 'x_1' }, /only a reference/],
    [
      'responses',
      { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot' } },
      /screenshot without image_url/,
    ],
    ['generate', { novelPart: { fileUri: 'gs://bucket/x' } }, /fileUri/],
    ['generate', { novelPart: { mimeType: 'image/png', data: 'AAAA' } }, /mimeType/],
  ])('%s: %j', (wire, content, expected) => {
    expect(reason(wire, content)).toMatch(expected)
  })

  test('if `type` is repeated, the last value decides, and the request is rejected unless that tool is removed', () => {
    const twice = (types: string): WireRequest | RequestFault =>
      wires.messages.parseRequest(
        byteTextOf(
          `{"model":"m","max_tokens":5,"messages":[{"role":"user","content":"x"}],"tools":[{${types},"name":"x"}]}`,
        ),
        path,
      )
    expect(twice('"type":"custom","type":"web_search_20260209"')).toMatchObject({
      lost: ['tools.web_search_20260209'],
    })
    expect(twice('"type":"web_search_20260209","type":"custom"')).toMatchObject({
      code: 'invalid_request',
      param: 'type',
    })
  })
})

const name = fc.stringMatching(/^[a-z]{1,8}$/).map((word) => `x_${word}`)
const text = fc.string({ maxLength: 30 }).filter((value) => !/^[a-z][a-z0-9+.-]*:/i.test(value))
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 3 }),
  ),
}))
const reference = fc.constantFrom<[string, unknown]>(
  ['file_id', 'f'],
  ['fileId', 'f'],
  ['image_url', 'https://x.example'],
  ['url', 'HTTP://x.example'],
  ['sourceUri', 'gs://x'],
  ['mimeType', 'video/mp4'],
  ['anything', 'data:image/png;base64,AAAA'],
)

test.each(['chat', 'messages', 'responses', 'generate'] as const)(
  'content of an unknown type counts at least one token per byte, and is rejected with a reference (%s)',
  (wire) => {
    const part = (inner: unknown): object =>
      wire === 'generate' ? { novelPart: { inner } } : { type: 'novel', inner }
    fc.assert(
      fc.property(tree, reference, fc.nat(3), (inner, [key, value], depth) => {
        const bytes = byteTextOf(JSON.stringify(inner)).length
        expect(accepted(wire, part(inner)).textTokensMax).toBeGreaterThanOrEqual(bytes)
        let hidden: unknown = { [key]: value }
        for (let i = 0; i < depth; i++)
          hidden = i % 2 === 0 ? [inner, hidden] : { x_in: hidden, x_more: inner }
        expect(reason(wire, part(hidden))).toContain(key)
      }),
      propertyRuns(300),
    )
  },
)
