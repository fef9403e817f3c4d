namespace LoadTesting.Http;

/// <summary>An answer, and the value that its JSON body holds.</summary>
public sealed class HttpResponse<T>(T data, HttpResponseMessage response)
{
    public T Data { get; } = data;
    public HttpResponseMessage Response { get; } = response;

    /// <summary>NBomber.Http 5.1 and earlier gave the value itself.</summary>
    public static implicit operator T(HttpResponse<T> response) => response.Data;
}
