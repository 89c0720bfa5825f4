import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, expect, it } from 'vitest'
import { recordedCalls } from '../../tools/recordings/read-recorded-calls.ts'

const folder = mkdtempSync(join(tmpdir(), 'recordings-'))
afterAll(() => rmSync(folder, { recursive: true }))

const url = 'https://api.openai.com/v1/chat/completions'
const body = { model: 'm', messages: [] }
const sent = JSON.stringify(body)
const answer = '{"usage":{}}'
const message = (head: string, text: string): string =>
  `${head}\r\nContent-Type: application/json\r\n\r\n${text}`
const request = message(`POST ${url} HTTP/1.1`, sent)
const response = message('HTTP/2.0 200 OK', answer)

it.each<[recorder: string, file: string, text: string]>([
  [
    'VCR in Python',
    'a.yaml',
    `interactions:
- request: {method: POST, uri: '${url}', body: '${sent}'}
  response: {status: {code: 200}, body: {string: !!binary ${gzipSync(answer).toString('base64')}}}`,
  ],
  [
    'VCR in Ruby',
    'a.yml',
    `http_interactions:
- request: {method: post, uri: '${url}', body: {string: '${sent}'}}
  response: {status: {code: 200}, body: {string: '${answer}'}}`,
  ],
  [
    'go-vcr',
    'b.yaml',
    `interactions:
- request: {method: POST, url: '${url}', body: '${sent}'}
  response: {status: 200 OK, code: 200, body: '${answer}'}`,
  ],
  [
    'Polly',
    'a.har',
    JSON.stringify({
      log: {
        entries: [
          {
            request: { method: 'POST', url, postData: { text: sent } },
            response: { status: 200, content: { text: answer } },
          },
        ],
      },
    }),
  ],
  [
    'Braintrust',
    'a.json',
    JSON.stringify({
      entries: [
        {
          request: { method: 'POST', url, body: { kind: 'binary', path: 'body.bin' } },
          response: { status: 200, body: { kind: 'json', value: { usage: {} } } },
        },
      ],
    }),
  ],
  [
    'Datadog',
    'b.json',
    JSON.stringify({
      request: { method: 'POST', url, body: sent },
      response: { status: { code: 200 }, body: answer },
    }),
  ],
  [
    'Nock',
    'c.json',
    JSON.stringify([
      {
        scope: 'https://api.openai.com:443',
        method: 'POST',
        path: '/v1/chat/completions',
        body,
        status: 200,
        response: { usage: {} },
      },
    ]),
  ],
  ['httprr', 'a.httprr', `httprr trace v1\n${request.length} ${response.length}\n${request}${response}`],
])('a recording of %s is read with its request and its response', (_recorder, file, text) => {
  const one = mkdtempSync(join(folder, 'one-'))
  writeFileSync(join(one, file), text)
  writeFileSync(join(one, 'body.bin'), sent)
  expect(recordedCalls(one)).toEqual([
    {
      file,
      host: 'api.openai.com',
      url: '/v1/chat/completions',
      body,
      status: 200,
      answer,
      headTokens: null,
    },
  ])
})

it.each([
  ['/v1/agents/completions', '/v1/agents/completions'],
  ['/v1/threads/t/messages', '/v1/threads/t/messages'],
  ['/api/v3/chat/completions', '/v1/chat/completions'],
  ['/openai/deployments/gpt/chat/completions', '/openai/deployments/gpt/chat/completions'],
  ['/proxy/openai/deployments/gpt/embeddings', '/openai/deployments/gpt/embeddings'],
  ['/openai/v1/batches', '/openai/v1/batches'],
])('the path %s of a vendor becomes the path %s of the gateway', (path, own) => {
  const one = mkdtempSync(join(folder, 'one-'))
  const call = { request: { method: 'POST', url: `https://api.openai.com${path}`, body: {} }, response: {} }
  writeFileSync(join(one, 'a.json'), JSON.stringify(call))
  const [read] = recordedCalls(one)
  expect(read?.url).toBe(own)
  expect(read?.body).toEqual({})
})
