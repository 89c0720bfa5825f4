import { expect, test } from 'vitest'
import type { FilePiece } from '#domain/provider-upstream-interface.ts'
import { fileAnswer, KeptFiles, type FileAnswer } from './files-in-memory.ts'

const mebibyte = 1024 * 1024

function sent(files: KeptFiles, callId: string, piece: FilePiece, body: Uint8Array): FileAnswer {
  const call = { vendor: 'google', body, callId, createdSeconds: 0 } as const
  return fileAnswer(call, { method: 'POST', piece }, files)
}

function start(files: KeptFiles, callId: string): void {
  const body = Buffer.from('{"file":{"mimeType":"video/mp4"}}')
  const { upload } = sent(files, callId, { uploadId: null, offset: 0, isLast: false }, body)
  expect(upload).toEqual({ id: callId, isFinal: false })
}

function put(files: KeptFiles, uploadId: string, offset: number, bytes: number, isLast = false): FileAnswer {
  return sent(files, `${uploadId}-${offset}`, { uploadId, offset, isLast }, Buffer.alloc(bytes))
}

function file(id: string, bytes: number) {
  return { id, content: Buffer.alloc(bytes), text: '{}', isDownloadable: true }
}

test('the files and unfinished uploads have at most 32 MiB together, and the oldest ones are dropped', () => {
  const files = new KeptFiles()
  files.keep(file('oldest', mebibyte))
  for (const id of ['one', 'two']) {
    start(files, id)
    expect(put(files, id, 0, 16 * mebibyte).status).toBe(200)
  }
  expect(files.find('oldest')).toBeNull()
  start(files, 'three')
  expect(put(files, 'three', 0, 1).status).toBe(200)
  expect(put(files, 'one', 16 * mebibyte, 1, true).status).toBe(404)
  const last = put(files, 'two', 16 * mebibyte, 1, true)
  expect(JSON.parse(Buffer.from(last.body).toString())).toMatchObject({
    file: { sizeBytes: String(16 * mebibyte + 1) },
  })
})

test('unfinished uploads and their pieces count toward the limit of 1,000 files', () => {
  const files = new KeptFiles()
  start(files, 'first')
  for (let at = 0; at < 999; at++) start(files, `upload-${at}`)
  expect(put(files, 'first', 0, 1).status).toBe(200)
  start(files, 'another')
  expect(put(files, 'upload-0', 0, 1).status).toBe(404)
  for (let at = 1; at < 1_000; at++) expect(put(files, 'first', at, 1).status).toBe(200)
  expect(put(files, 'another', 0, 1).status).toBe(404)
  expect(put(files, 'first', 1_000, 1).status).toBe(400)
})

test('an upload above 32 MiB is rejected, and the other files are kept', () => {
  const files = new KeptFiles()
  files.keep(file('small', 1))
  start(files, 'large')
  expect(put(files, 'large', 0, 31 * mebibyte).status).toBe(200)
  const rejected = put(files, 'large', 31 * mebibyte, 2 * mebibyte)
  expect([rejected.status, Buffer.from(rejected.body).toString()]).toEqual([
    400,
    expect.stringContaining('at most 32 MiB'),
  ])
  expect(put(files, 'large', 31 * mebibyte, 1).status).toBe(404)
  expect(files.find('small')).not.toBeNull()
})

test('a file above 32 MiB is rejected, and the other files are kept', () => {
  const files = new KeptFiles()
  expect(files.keep(file('small', 0))).toBe(true)
  expect(files.keep(file('largest', 32 * mebibyte))).toBe(true)
  expect(files.keep(file('larger', 32 * mebibyte + 1))).toBe(false)
  expect([files.find('small')?.id, files.find('largest')?.id, files.find('larger')]).toEqual([
    'small',
    'largest',
    null,
  ])
})
