import { describe, expect, it } from 'vitest'
import type { JsonObject } from '#wire/text/json-values.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import { isFault, type RequestFault } from '#wire/wire-request.ts'
import { wires } from '#wire/table-of-wires.ts'
import { codecs } from './table-of-codecs.ts'
import type { NeutralRequest } from './neutral-format.ts'

function tryRead(wire: WireName, body: JsonObject): NeutralRequest | RequestFault {
  const model = wire === 'generate' || wire === 'converse' ? 'm' : null
  const path = { model, isStream: false, isJsonArray: false }
  const request = wires[wire].parseRequest(byteTextOf(JSON.stringify(body)), path)
  return isFault(request) ? request : codecs[wire].readRequest(request)
}

function read(wire: WireName, body: JsonObject): NeutralRequest {
  const request = tryRead(wire, body)
  if (isFault(request)) throw new Error(`${request.param}: ${request.reason}`)
  return request
}

function textsOf({ turns }: NeutralRequest): readonly string[] {
  return turns
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ parts }) => parts.map((part) => (part.kind === 'text' ? part.text : part.kind)))
}

const user = { role: 'user', content: 'hi' }
const fenced = (text: string): string => `\`\`\`\n${text}\n\`\`\``

describe('tools that the provider ran, in the history of a request', () => {
  it.each([
    ['its output', { output: 'found', error: null }, ['found']],
    [
      'its error',
      { output: null, error: { type: 'mcp_tool_execution_error', content: 'down' } },
      ['{"type":"mcp_tool_execution_error","content":"down"}'],
    ],
    ['nothing', { output: null, error: null }, []],
  ])('a call of an MCP server by OpenAI becomes text, with %s', (_what, result, texts) => {
    const call = {
      type: 'mcp_call',
      id: 'mcp_1',
      server_label: 'wiki',
      name: 'ask',
      arguments: '{"q":1}',
      ...result,
    }
    const request = read('responses', { model: 'm', input: [user, call, user] })
    expect(textsOf(request)).toEqual([fenced('ask {"q":1}'), ...texts.map(fenced)])
    expect(request.others).toEqual(['input.mcp_call'])
  })

  it('code that OpenAI ran and its output become text, and an image that the code drew is kept', () => {
    const call = {
      type: 'code_interpreter_call',
      id: 'ci_1',
      container_id: 'cntr_1',
      code: 'print(1)',
      outputs: [
        { type: 'logs', logs: '1' },
        { type: 'image', url: 'data:image/png;base64,AAAA' },
      ],
    }
    const request = read('responses', { model: 'm', input: [user, call, { ...call, outputs: null }, user] })
    expect(textsOf(request)).toEqual([fenced('print(1)'), fenced('1'), 'image', fenced('print(1)')])
    expect(request.others).toEqual(['input.code_interpreter_call'])
  })

  it('a call of a tool by Gemini and its result become text, without the HTML of search suggestions', () => {
    const request = read('generate', {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        {
          role: 'model',
          parts: [
            { toolCall: { toolType: 'GOOGLE_SEARCH_WEB', id: 'a', args: { queries: ['q'] } } },
            {
              toolResponse: {
                toolType: 'GOOGLE_SEARCH_WEB',
                id: 'a',
                response: { search_suggestions: '<a>' },
              },
            },
            { tool_call: { tool_type: 'FILE_SEARCH', id: 'b', args: {} } },
            {
              tool_response: { tool_type: 'FILE_SEARCH', id: 'b', response: { result: [{ text: 'Paris' }] } },
            },
            { text: 'Answer' },
          ],
        },
        { role: 'user', parts: [{ text: 'go on' }] },
      ],
    })
    expect(textsOf(request)).toEqual([
      `${fenced('GOOGLE_SEARCH_WEB {"queries":["q"]}')}\n${fenced('FILE_SEARCH {}')}\n${fenced('{"result":[{"text":"Paris"}]}')}\nAnswer`,
    ])
    expect(request.others).toEqual(['contents.parts.toolCall', 'contents.parts.toolResponse'])
  })

  it('code that Nova ran becomes text, with its output', () => {
    const use = {
      toolUseId: 't',
      name: 'nova_code_interpreter',
      type: 'server_tool_use',
      input: { snippet: '1+1' },
    }
    const result = {
      toolUseId: 't',
      type: 'nova_code_interpreter_result',
      content: [{ json: { stdOut: '2', stdErr: '', exitCode: 0 } }],
    }
    const request = read('converse', {
      messages: [
        { role: 'user', content: [{ text: 'hi' }] },
        { role: 'assistant', content: [{ toolUse: use }, { toolResult: result }, { text: 'It is 2.' }] },
        { role: 'user', content: [{ text: 'go on' }] },
      ],
    })
    expect(textsOf(request)).toEqual([
      fenced('nova_code_interpreter {"snippet":"1+1"}'),
      fenced('{"stdOut":"2","stdErr":"","exitCode":0}'),
      'It is 2.',
    ])
    expect(request.others).toEqual(['messages.content.toolUse.type', 'messages.content.toolResult.type'])
  })
})
