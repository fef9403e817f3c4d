using System.Net;
using System.Reflection;

namespace Refit;

public abstract class HttpMethodAttribute(string path) : Attribute
{
    public virtual string Path { get; protected set; } = path;
}

[AttributeUsage(AttributeTargets.Method)]
public sealed class GetAttribute(string path) : HttpMethodAttribute(path);

[AttributeUsage(AttributeTargets.Method)]
public sealed class PostAttribute(string path) : HttpMethodAttribute(path);

[AttributeUsage(AttributeTargets.Parameter)]
public sealed class BodyAttribute : Attribute;

[AttributeUsage(AttributeTargets.Parameter | AttributeTargets.Property)]
public sealed class QueryAttribute : Attribute;

[AttributeUsage(AttributeTargets.Parameter)]
public sealed class HeaderAttribute(string header) : Attribute
{
    public string Header { get; } = header;
}

public interface IHttpContentSerializer
{
    HttpContent ToHttpContent<T>(T item);

    Task<T?> FromHttpContentAsync<T>(HttpContent content, CancellationToken cancellationToken = default);

    string? GetFieldNameForProperty(PropertyInfo propertyInfo);
}

public sealed class RefitSettings(IHttpContentSerializer contentSerializer)
{
    public IHttpContentSerializer ContentSerializer { get; set; } = contentSerializer;

    public Func<HttpResponseMessage, Exception, Task<Exception?>>? DeserializationExceptionFactory { get; set; }
}

public class ApiException(HttpMethod httpMethod, Uri? uri, HttpStatusCode statusCode, string? content) : Exception(content)
{
    public HttpMethod HttpMethod { get; } = httpMethod;

    public Uri? Uri { get; } = uri;

    public HttpStatusCode StatusCode { get; } = statusCode;

    public string? Content { get; } = content;
}

public static class RestService
{
    public static T For<T>(HttpClient client, RefitSettings? settings) => throw new NotSupportedException(
        $"This is a stand-in for Refit, which cannot make a {typeof(T).Name} over {client} with {settings}; build with -p:FullFeed=true "
        + "for the real one.");
}
