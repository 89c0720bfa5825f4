import { operationOn } from '#operations/operation.ts'
import { ownKey } from '#operations/own.ts'
import { RotatedKey, RotationBody, rotateKey } from './rotate-key.ts'

export default operationOn(ownKey, {
  id: 'keys.rotate',
  method: 'POST',
  path: '/v1/keys/{id}/rotate',
  isExtension: true,
  summary: 'Rotate a key',
  description:
    'Creates a key that replaces this one, for the same end user, with its name, cap and expiry. Both keys work until the grace period ends; requests of the old key that are then in flight continue. The cap goes on: what the old key has spent and holds in the current period counts for both keys together. The secret is returned once and cannot be retrieved again, so a repeat with the same Idempotency-Key is rejected. A key that was replaced, revoked or has expired cannot be rotated.',
  body: RotationBody,
  output: RotatedKey,
  errors: ['key_ended'],
  answersSecret: true,
  run: (key, context, { body }) => rotateKey(key, body, context),
})
