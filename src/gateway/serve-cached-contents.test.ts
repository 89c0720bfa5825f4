import { expect, test } from 'vitest'
import type { OwnedFiles, StoredFileRecord } from '#domain/accounts/files-stored-at-providers.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import type { ReservedCall } from './call/call-state-types.ts'
import type { CallEnd } from '#gateway/relay/end-of-call-at-provider.ts'
import { keepCachedContent } from './serve-cached-contents.ts'

test('cached content is added to its owner’s list even if the client disconnects while the content is created', async () => {
  const kept: StoredFileRecord[] = []
  const files: Pick<OwnedFiles, 'add'> = {
    add: (file) => {
      kept.push(file)
      return Promise.resolve(true)
    },
  }
  // `keepCachedContent` reads only these fields of a call.
  const call = {
    caller: { config: {}, key: { endUserId: 'eu_1' } },
    plan: { source: { account: { id: 'pa_1' } } },
    ports: { clock: { nowMs: () => 5 }, files },
    request: { caching: { id: null, opened: { expiresAtMs: 9 } } },
  } as unknown as ReservedCall
  const end: CallEnd = {
    kind: 'left',
    used: { usage: zeroUsage, tokenSource: 'provider_reported', isInputOurs: false },
    cached: { id: 'id', name: 'cachedContents/a', displayName: 'handbook' },
  }
  expect(await keepCachedContent(call, end)).toBe(end)
  expect(kept).toMatchObject([{ id: 'id', endUserId: 'eu_1', accountId: 'pa_1', expiresAtMs: 9 }])
})
