import { describe, expect, test } from 'vitest'
import { byteTextOf, textOf } from '#wire/text/byte-text.ts'
import { continuing } from './continued-stored-response.ts'
import { readResponsesAnswer, readStored, tokensOfStored } from './responses/non-streaming-response.ts'
import { parseResponsesRequest } from './responses/parse-request.ts'
import { isFault, upstreamBody, type WireRequest } from './wire-request.ts'

const stored = { id: 'resp_vendor', origin: 'o', alias: 'a', tokens: 5_000 }

function parsed(body: object, keepsSearch = false): WireRequest {
  const keep = keepsSearch ? () => new Set(['webSearch' as const]) : undefined
  const request = parseResponsesRequest(byteTextOf(JSON.stringify(body)), keep)
  if (isFault(request)) throw new Error(request.reason)
  return request
}

const sent = (request: WireRequest): unknown => JSON.parse(textOf(upstreamBody(request, 'm', null)))

test('the request for a continued response has the provider’s ID, and every bound includes the stored tokens', () => {
  const body = { model: 'm', previous_response_id: 'resp_öwn', input: 'Hi' }
  const request = parsed(body)
  const continued = continuing(request, stored)
  expect(sent(continued)).toEqual({ ...body, previous_response_id: 'resp_vendor' })
  for (const bound of ['textTokensMax', 'inputEstimate', 'mediaEstimate'] as const)
    expect(continued[bound] - request[bound]).toBe(5_064)
  // A tokenizer's count replaces only the bound of the request's own text.
  expect(continued.prose).toBe(request.prose)
  expect(continuing(parsed({ model: 'm', input: 'Hi' }), stored)).not.toHaveProperty('previous')
})

test('if the provider’s tools are removed, the request continues the same response', () => {
  const body = { model: 'm', tools: [{ type: 'web_search' }], previous_response_id: 'r', input: 'Hi' }
  const dropped = continuing(parsed(body, true), stored).run?.dropped
  if (dropped === undefined || isFault(dropped)) throw new Error('the tools can be dropped')
  expect(sent(dropped)).toEqual({ model: 'm', previous_response_id: 'resp_vendor', input: 'Hi' })
  expect(dropped.textTokensMax).toBeGreaterThan(5_000)
})

const ids = {
  idOf: (id: string, tokens: number | null) => `${id}:${tokens}`,
  previousIdOf: (id: string) => `own ${id}`,
}

describe('IDs of stored responses', () => {
  const usage = { input_tokens: 7, output_tokens: 5 }
  const response = { id: 'r', model: 'm', previous_response_id: 'p', output: [], usage }
  const shown = (body: object): unknown =>
    JSON.parse(
      textOf(
        readResponsesAnswer(byteTextOf(JSON.stringify(body)), 'a', { ids: { responses: ids } })?.body ?? '',
      ),
    )

  test('the IDs in a stored response are replaced, and each new ID contains the number of tokens of the response', () => {
    const own = { ...response, model: 'a', previous_response_id: 'own p' }
    expect(shown({ ...response, store: true })).toEqual({ ...own, id: 'r:12', store: true })
    expect(shown({ ...response, store: false })).toEqual({ ...own, store: false })
    expect(shown({ ...response, store: true, usage: null })).toMatchObject({ id: 'r:null' })
    expect(shown({ ...response, store: true, usage: { ...usage, input_tokens: -1 } })).toMatchObject({
      id: 'r:null',
    })
  })

  test('a deleted response gets the client’s ID, and the items of a list keep their IDs', () => {
    const read = (text: string): string | null => {
      const body = readStored(byteTextOf(text), 'a', { responses: ids })
      return body && textOf(body)
    }
    expect(read('{"id": "r", "object":"response","deleted":true}')).toBe(
      '{"id": "r:null", "object":"response","deleted":true}',
    )
    expect(read('{"object":"list","data":[{"id":"i"}]}')).toBe('{"object":"list","data":[{"id":"i"}]}')
    expect([read('[]'), read('<html>')]).toEqual([null, null])
  })

  test('the length of a stored response, in tokens, is the usage that the provider reported', () => {
    const told = (body: unknown): number | null => tokensOfStored(byteTextOf(JSON.stringify(body)))
    expect([told(response), told({ ...response, usage: null }), told([])]).toEqual([12, null, null])
  })
})
