import { expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { conversationItems } from './conversation-requests-and-responses.ts'

it('items of a conversation cannot ask for a compaction, because the hold of a later request would not cover it', () => {
  const message = { type: 'message', role: 'user', content: 'hello' }
  const found = (...items: readonly object[]) => conversationItems(byteTextOf(JSON.stringify({ items })))
  expect(found(message)).toMatchObject({ kind: 'items', atAddressesMax: 0 })
  expect(found(message, { type: 'compaction_trigger' })).toMatchObject({
    code: 'unsupported_for_route',
    param: 'items',
  })
})
