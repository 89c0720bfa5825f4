/** The way mail leaves. */
export interface Mail {
  /** Hands a mail to the mail server. @throws when it does not take it */
  send(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<void>
}
