/** Which deprecated versions have been asked for: the gauge `apiserver_requested_deprecated_apis`. */
export interface DeprecatedRequest {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removedRelease: string;
}

export class DeprecatedUse {
  readonly #requests = new Map<string, DeprecatedRequest>();

  note(request: DeprecatedRequest): void {
    const key = `${request.group}/${request.version}/${request.resource}/${request.subresource}`;
    if (!this.#requests.has(key)) this.#requests.set(key, request);
  }

  all(): readonly DeprecatedRequest[] {
    return [...this.#requests.values()];
  }
}
