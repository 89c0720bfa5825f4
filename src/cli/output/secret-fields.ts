/** The field with the secret of each operation that returns one. It is returned once and cannot be retrieved again. */
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
