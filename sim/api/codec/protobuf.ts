export const encodeProtobuf=(_s:unknown,_o:object):Uint8Array=>new Uint8Array();
export const decodeProtobuf=(_s:unknown,_o:Uint8Array):any=>({});
export const encodeWatchFrame=(_t:string,_o:Uint8Array):Uint8Array=>new Uint8Array();
