using Microsoft.FSharp.Core;
using NBomber.Contracts;

namespace NBomber.Http.CSharp;

public static class Http
{
    public static async Task<Response<HttpResponseMessage>> Send(HttpClient client, HttpRequestMessage request)
    {
        var response = await client.SendAsync(request);
        return new Response<HttpResponseMessage>(response.StatusCode.ToString(), !response.IsSuccessStatusCode, 0, "", new FSharpOption<HttpResponseMessage>(response));
    }
}
