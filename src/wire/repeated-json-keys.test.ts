/**
 * JSON allows a repeated key, of which providers use the last value. If the gateway read the first value, a request
 * could hide a tool, a file or a limit from its hold.
 */
import { describe, expect, it } from 'vitest'
import { keepBounded } from '#tests/support/measured-recordings.ts'
import { wireNames, type WireName } from './names-of-wires-and-tasks.ts'
import { byteTextOf } from './text/byte-text.ts'
import { isFault, type RequestFault, type WireRequest } from './wire-request.ts'
import { wires } from './table-of-wires.ts'

const user = { role: 'user', content: 'x' }

/** The fields decide which tools run, what is held, and which stored objects are used. */
const bodies: Readonly<Record<WireName, readonly object[]>> = {
  responses: [
    {
      model: 'm',
      max_tool_calls: 3,
      max_output_tokens: 9,
      tools: [
        { type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g', file_ids: ['file_1'] } },
        { type: 'code_interpreter', container: 'cntr_1' },
        { type: 'image_generation', n: 2, size: '1024x1024', quality: 'low', partial_images: 1 },
        { type: 'image_generation', input_image_mask: { file_id: 'file_2' } },
        { type: 'mcp', server_label: 's', server_url: 'https://a.example/mcp' },
        { type: 'namespace', name: 'n', tools: [{ type: 'web_search' }] },
      ],
      input: [
        { type: 'message', role: 'user', content: [{ type: 'input_file', file_id: 'file_3' }] },
        {
          type: 'code_interpreter_call',
          id: 'ci_1',
          container_id: 'cntr_2',
          code: 'x',
          outputs: [{ type: 'image', url: 'data:image/png;base64,AAAA' }],
        },
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'file_search' }] },
      ],
    },
    {
      model: 'm',
      input: 'x',
      conversation: { id: 'conv_1' },
      truncation: 'disabled',
      tools: [
        { type: 'tool_search', execution: 'client' },
        { type: 'shell', environment: { type: 'local' } },
      ],
    },
    { model: 'm', input: 'x', previous_response_id: 'resp_1', context_management: [{ type: 'compaction' }] },
  ],
  messages: [
    {
      model: 'm',
      max_tokens: 9,
      messages: [
        user,
        {
          role: 'assistant',
          content: [
            {
              type: 'code_execution_tool_result',
              tool_use_id: 'srvtoolu_1',
              content: {
                type: 'code_execution_result',
                stdout: '',
                stderr: '',
                return_code: 0,
                content: [{ type: 'code_execution_output', file_id: 'file_1' }],
              },
            },
          ],
        },
        { role: 'user', content: [{ type: 'container_upload', file_id: 'file_2' }] },
      ],
      container: { id: 'container_1', skills: [{ type: 'anthropic', skill_id: 'pdf' }] },
      mcp_servers: [{ type: 'url', name: 's', url: 'https://a.example/mcp' }],
      tools: [
        { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
        { type: 'code_execution_20250825', name: 'code_execution' },
        { type: 'mcp_toolset', mcp_server_name: 's' },
      ],
      context_management: {
        edits: [{ type: 'compact_20260112', trigger: { type: 'input_tokens', value: 60_000 } }],
      },
    },
  ],
  chat: [
    {
      model: 'm',
      messages: [user, { role: 'user', content: [{ type: 'file', file: { file_id: 'file_1' } }] }],
      tools: [{ type: 'openrouter:web_search', parameters: { max_uses: 2, max_results: 4 } }],
    },
    { model: 'm', messages: [user], plugins: [{ id: 'web', max_results: 4 }] },
  ],
  generate: [
    {
      contents: [{ role: 'user', parts: [{ text: 'x' }, { fileData: { fileUri: 'files/abc' } }] }],
      tools: [{ googleSearch: {} }],
      generationConfig: { candidateCount: 2, maxOutputTokens: 9 },
    },
  ],
  converse: [
    {
      messages: [{ role: 'user', content: [{ text: 'x' }] }],
      inferenceConfig: { maxTokens: 9 },
      toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }], toolChoice: { auto: {} } },
    },
  ],
  cohere: [
    {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      documents: [{ data: { text: 'x' } }],
      response_format: { type: 'json_object' },
    },
  ],
}

const decoys = ['null', '"x"', '1', 'true', '[]', '{}']

describe.each(wireNames)('%s', (wire) => {
  it('a repeated key is rejected, or the request means the same as with the last value alone', () => {
    for (const body of bodies[wire])
      for (const path of pathsOf(body))
        for (const decoy of decoys)
          for (const isLast of [false, true]) {
            const expected = read(wire, isLast ? printed(body, path, [decoy]) : JSON.stringify(body))
            const twice = printed(body, path, isLast ? [null, decoy] : [decoy, null])
            const found = read(wire, twice)
            if (isFault(found)) continue
            expect(meaning(found), twice).toEqual(isFault(expected) ? expected : meaning(expected))
          }
  })

  it('without a repeated key, the bodies are accepted', () => {
    for (const body of bodies[wire]) expect(read(wire, JSON.stringify(body))).not.toHaveProperty('reason')
  })
})

it.each([
  ['container', '{"type":"code_interpreter","container":{"type":"auto"},"container":"cntr_1"}'],
  ['file_ids', '{"type":"code_interpreter","container":{"type":"auto","file_ids":[],"file_ids":["file_1"]}}'],
  ['server_url', '{"type":"mcp","server_url":null,"server_url":"https://a.example/mcp"}'],
])('responses: the field %s of a tool is rejected if it is repeated', (name, tool) => {
  expect(read('responses', `{"model":"m","input":"x","tools":[${tool}]}`)).toMatchObject({ param: name })
})

it('responses: max_tool_calls is rejected if it is repeated', () => {
  const tools = '"tools":[{"type":"web_search"}]'
  expect(
    read('responses', `{"model":"m","input":"x",${tools},"max_tool_calls":1,"max_tool_calls":900}`),
  ).toMatchObject({ param: 'max_tool_calls' })
})

function read(wire: WireName, text: string): WireRequest | RequestFault {
  return wires[wire].parseRequest(
    byteTextOf(text),
    { model: 'm', isStream: false, isJsonArray: false },
    keepBounded(wire),
  )
}

/** Facts that decide the hold of a request and its access to stored objects. */
function meaning(request: WireRequest): object {
  const { choices, compactsAbove, conversation, fetched, isBackground, model, outputTokensMax, run, uses } =
    request
  return {
    choices,
    compactsAbove,
    fetched,
    isBackground,
    model,
    outputTokensMax,
    uses,
    kinds: run?.kinds,
    limits: run?.limits.map(({ asked, kind }) => ({ asked, kind })),
    containers: request.containers?.map(({ id, isNamed }) => ({ id, isNamed })),
    conversation: conversation && { id: conversation.id, isWhole: conversation.isWhole },
    files: request.files?.map(({ id }) => id),
    codeFiles: request.codeFiles?.map(({ id }) => id),
    lost: request.lost,
    previous: request.previous?.id,
    hasTools: request.hasTools,
  }
}

type Path = readonly (string | number)[]

function pathsOf(value: unknown, above: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item, i) => pathsOf(item, [...above, i]))
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = [...above, name]
    return [path, ...pathsOf(inner, path)]
  })
}

/**
 * Returns JSON in which the member at `path` occurs once for each of `values`. A null is printed as the value
 * that the member already has.
 */
function printed(value: unknown, path: Path, values: readonly (string | null)[]): string {
  const [step, ...rest] = path
  if (step === undefined || typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value))
    return `[${value.map((item, i) => (i === step ? printed(item, rest, values) : JSON.stringify(item))).join()}]`
  const members = Object.entries(value).flatMap(([name, inner]) => {
    if (name !== step) return `${JSON.stringify(name)}:${JSON.stringify(inner)}`
    if (rest.length > 0) return `${JSON.stringify(name)}:${printed(inner, rest, values)}`
    return values.map((text) => `${JSON.stringify(name)}:${text ?? JSON.stringify(inner)}`)
  })
  return `{${members.join()}}`
}
