/** Whom the token of a secret stands for, and which secret holds it. Specification: "Authentication". */
export interface AccountTokenSubject {
  readonly namespace: string;
  readonly account: { readonly name: string; readonly uid: string };
  readonly secret: { readonly name: string };
}
