using System.Security.Cryptography;
using Microsoft.Net.Http.Headers;

namespace Workflow.WebService.Responses;

/// <summary>
/// Strong entity tags (RFC 9110, 8.8.3): a client that names the one it has is answered 304 without the content.
/// </summary>
internal static class EntityTag
{
    /// <summary>The tag of a content that these texts decide, and nothing else does.</summary>
    public static string Of(params ReadOnlySpan<string> texts)
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var text in texts)
        {
            hash.AppendData(Encoding.UTF8.GetBytes(text));
            hash.AppendData([0]);
        }

        return $"\"{Convert.ToHexStringLower(hash.GetHashAndReset())}\"";
    }

    /// <summary>
    /// Sends the tag. A client may keep the content, and asks each time whether it is still this one.
    /// </summary>
    /// <returns>True when the client has it: the answer is 304 then, and complete.</returns>
    public static bool IsKnown(HttpContext context, string tag)
    {
        context.Response.Headers.ETag = tag;
        context.Response.Headers.CacheControl = "private, no-cache";
        var offered = new EntityTagHeaderValue(tag);
        if (!context.Request.GetTypedHeaders().IfNoneMatch.Any(known =>
            known.Equals(EntityTagHeaderValue.Any) || known.Compare(offered, useStrongComparison: false)))
        {
            return false;
        }

        context.Response.StatusCode = StatusCodes.Status304NotModified;
        return true;
    }
}
