import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownKey } from '#operations/kernel/find-resources-of-caller.ts'
import { RotatedKey, RotationBody, rotateKey } from '#operations/keys/shared/rotate-key.ts'

export default operationOn(ownKey, {
  id: 'keys.rotate',
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  isExtension: true,
  summary: 'Rotate a key',
  description:
    'Creates a key that replaces the key in the path. The new key has the same end user, name, cap, limits and expiry. The secret is returned once and cannot be retrieved again.\n\n- Both keys work until the grace period ends. Requests that are in flight at that time continue.\n- The two keys share one cap and the same limits. Amounts that the old key has spent or holds in the current period also count for the new key.\n- A repeated request with the same Idempotency-Key is rejected, because the secret is returned only once.\n- A replaced, revoked or expired key cannot be rotated.',
  body: RotationBody,
  output: RotatedKey,
  errors: ['key_ended'],
  answersSecret: true,
  run: (key, context, { body }) => rotateKey(key, body, context),
})
