/** Operations whose response contains a secret, with the secret's field. The secret cannot be retrieved again. */
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
