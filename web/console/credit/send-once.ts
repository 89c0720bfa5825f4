/**
 * For forms that move money. If the response to a change is lost, the form keeps its idempotency key as long as its
 * draft, even if the form is closed. Otherwise, a form that is opened again could make the change a second time.
 */
import { useContext, useState } from 'react'
import { ApiError } from '#sdk/errors.ts'
import { draftKey } from '#web/ui/draft-of-form.ts'
import { DraftScope } from '#web/ui/form.tsx'

export interface SendOnce {
  readonly idempotencyKey: string
  /** Repeated calls make the change once, until a call succeeds. */
  readonly sendOnce: <T>(send: (idempotencyKey: string) => Promise<T>) => Promise<T>
}

/** @param draft the form's draft */
export function useSendOnce(draft: string): SendOnce {
  const scope = useContext(DraftScope)
  const place = draftKey(scope, `idempotency key of ${draft}`)
  const [idempotencyKey, setKey] = useState(() => sessionStorage.getItem(place) ?? newIdempotencyKey())
  return {
    idempotencyKey,
    async sendOnce(send) {
      sessionStorage.setItem(place, idempotencyKey)
      try {
        const answer = await send(idempotencyKey)
        sessionStorage.removeItem(place)
        return answer
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'idempotency_mismatch') throw error
        sessionStorage.removeItem(place)
        setKey(newIdempotencyKey())
        throw new Error(savedBefore, { cause: error })
      }
    },
  }
}

const savedBefore =
  'An earlier attempt with other values was saved. Check the ledger of the end user. To make this change too, send the form again.'

/** `randomUUID` is missing on pages without TLS. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
