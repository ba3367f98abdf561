export const unwrapEnvelope=(_:Uint8Array):{raw:Uint8Array,kind:string,apiVersion:string}|undefined=>undefined;
export const wrapEnvelope=(_:{apiVersion:string,kind:string,raw:Uint8Array}):Uint8Array=>new Uint8Array();
