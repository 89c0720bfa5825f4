/**
 * For forms that move money or create a secret. If the response to a change is lost, the form keeps its idempotency key
 * as long as its draft, even if the form is closed. Otherwise, a form that is opened again could make the change a
 * second time.
 */
import { useContext, useState } from 'react'
import { newIdempotencyKey } from '#sdk/request.ts'
import { draftKey } from '#web/ui/draft-of-form.ts'
import { isSavedBefore } from '#web/ui/failure.tsx'
import { DraftScope } from '#web/ui/form.tsx'

export interface SendOnce {
  readonly idempotencyKey: string
  /** Repeated calls make the change once, until a call succeeds. */
  readonly sendOnce: <T>(send: (idempotencyKey: string) => Promise<T>) => Promise<T>
}

/**
 * @param draft the form's draft
 * @param isMoney false if the form creates a secret
 */
export function useSendOnce(draft: string, isMoney = true): SendOnce {
  const scope = useContext(DraftScope)
  const place = draftKey(scope, `idempotency key of ${draft}`)
  const [idempotencyKey, setKey] = useState(() => sessionStorage.getItem(place) ?? ownKey())
  return {
    idempotencyKey,
    async sendOnce(send) {
      sessionStorage.setItem(place, idempotencyKey)
      try {
        const answer = await send(idempotencyKey)
        sessionStorage.removeItem(place)
        return answer
      } catch (error) {
        if (!isSavedBefore(error)) throw error
        sessionStorage.removeItem(place)
        setKey(ownKey())
        throw isMoney ? new Error(savedBefore, { cause: error }) : error
      }
    },
  }
}

const savedBefore =
  'An earlier attempt with other values was saved. Check the ledger of the end user. To make this change too, send the form again.'

function ownKey(): string {
  return `console-${newIdempotencyKey()}`
}
