import { expect, test } from 'vitest'
import { awsSignature } from './aws-signature.ts'

/**
 * Cases of AWS's test suite for Signature Version 4: `post-vanilla`, `post-x-www-form-urlencoded`,
 * `post-sts-header-before`.
 */
const keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
}
const at = { nowMs: Date.UTC(2015, 7, 30, 12, 36), region: 'us-east-1', service: 'service' }
const host = 'example.amazonaws.com'
const token =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=='

test.each([
  ['post-vanilla', { host }, '', null, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'post-x-www-form-urlencoded',
    { host, 'content-type': 'application/x-www-form-urlencoded' },
    'Param1=value1',
    null,
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
  [
    'post-sts-header-before',
    { host },
    '',
    token,
    '85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
  ],
] as const)(
  'the signature of the published request %s is reproduced',
  (_, headers, body, sessionToken, signature) => {
    const added = awsSignature({ path: '/', headers, body }, { ...keys, sessionToken }, at)
    expect(added.at(-1)).toMatch(new RegExp(`Signature=${signature}$`))
    expect(added.slice(0, 2)).toEqual(['x-amz-date', '20150830T123600Z'])
  },
)

test('the path is encoded a second time before it is signed', () => {
  const sign = (path: string) => awsSignature({ path, headers: { host }, body: '' }, keys, at).at(-1)
  expect(sign('/model/a%3A0/invoke')).not.toBe(sign('/model/a:0/invoke'))
})
