/**
 * Maps each operation that returns a secret to the field with the secret. The secret is returned once and cannot be
 * retrieved again.
 */
export const secretFields: Readonly<Record<string, string>> = {
  'deviceAuth.poll': 'token',
  'emitters.add': 'signingSecret',
  'emitters.rotateSecret': 'signingSecret',
  'keys.mint': 'key',
  'keys.rotate': 'key',
  'portal.mintKey': 'key',
  'portal.redeem': 'sessionToken',
  'portal.rotateKey': 'key',
  'tokens.create': 'token',
}
