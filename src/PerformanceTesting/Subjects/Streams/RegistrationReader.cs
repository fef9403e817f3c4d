using System.Buffers.Text;
using LoadTesting.Core.Http.Streams;
using Workflow.Contracts.Events;

namespace PerformanceTesting.Subjects.Streams;

/// <summary>
/// Reads the event of a registered version: which publication it is, and its place in the stream of its lane.
/// </summary>
/// <param name="project">
/// What the names of the definitions of this load begin with; others are none of its publications.
/// </param>
internal sealed class RegistrationReader(string project) : IEventReader
{
    private static readonly byte[] Registered = Encoding.UTF8.GetBytes(nameof(DefinitionRegistered));

    private readonly byte[] _prefix = Encoding.UTF8.GetBytes(project + "-");

    public bool TryRead(EventFrame frame, out Delivery delivery)
    {
        delivery = default;
        try
        {
            return frame.Type.SequenceEqual(Registered) && TryRead(new Utf8JsonReader(frame.Data), out delivery);
        }
        catch (JsonException)
        {
            return false;
        }
    }

    private bool TryRead(Utf8JsonReader json, out Delivery delivery)
    {
        var (index, version, stream, sequence) = (-1L, 0L, -1, 0L);
        while (json.Read())
        {
            if (json.TokenType != JsonTokenType.PropertyName)
            {
                continue;
            }

            if (json.ValueTextEquals("id"u8))
            {
                json.Read();
                var dash = json.ValueSpan.IndexOf((byte)'-');
                _ = dash > 0 && Utf8Parser.TryParse(json.ValueSpan[..dash], out stream, out _)
                    && Utf8Parser.TryParse(json.ValueSpan[(dash + 1)..], out sequence, out _);
            }
            else if (json.ValueTextEquals("definition"u8))
            {
                json.Read();
                index = json.ValueSpan.StartsWith(_prefix)
                    && Utf8Parser.TryParse(json.ValueSpan[_prefix.Length..], out long number, out _) ? number : -1;
            }
            else if (json.ValueTextEquals("definitionVersion"u8))
            {
                json.Read();
                _ = json.TokenType == JsonTokenType.Number && json.TryGetInt64(out version);
            }
            else
            {
                json.Read();
                json.Skip();
            }
        }

        delivery = new Delivery(index < 0 ? -1 : ((version - 1) * StreamSubject.Projects) + index, stream, sequence);
        return stream >= 0 && sequence > 0;
    }
}
