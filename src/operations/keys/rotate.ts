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
    'Mints a key in the place of this one, for the same person, with its name, cap and expiry, and lets the old one end after a grace, in which both are served. The new secret is in this answer and nowhere else. The cap of the new key counts what it spends itself; calls of the old key that are in flight when it ends go on. A key is rotated once: one that was replaced, is revoked or has expired is refused, and so is a repeat with the same Idempotency-Key, since the secret is not kept.',
  body: RotationBody,
  output: RotatedKey,
  errors: ['key_ended'],
  answersSecret: true,
  run: (key, context, { body }) => rotateKey(key, body, context),
})
